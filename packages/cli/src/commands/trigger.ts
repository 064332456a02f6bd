import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { modes } from '../config.ts';
import { parseDuration, parseWhole, statusOfEvent } from '../parse.ts';
import type { CreateAction, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';
import type { EventFields } from '../trigger/event-body.ts';
import type { TriggerOptions } from '../trigger/trigger.ts';

/** Adds `webhooks trigger`, which sends a signed test event to a receiver (docs/contract.md#webhooks). */
export function addTrigger(webhooks: Command, act: CreateAction): void {
  const command = webhooks
    .command('trigger')
    .description('Send a signed test event to your receiver. Exits 1 if the receiver rejects it.')
    .addArgument(
      new Argument('<event>', 'name of the event, such as payment.completed').argParser(parseEvent),
    )
    .requiredOption('--to <url>', 'URL of the receiver; plain http only to this machine');
  addSecretFile(command)
    .option('--data <field=value>', 'field of the payment; repeatable', addField)
    .addOption(new Option('--mode <mode>', 'mode of the event').choices(modes).default('test'))
    .option('--live', 'allow an event of live mode to leave this machine')
    .option('--times <count>', 'number of times to send the same bytes', parseWhole(1, 100), 1)
    .option(
      '--timeout <span>',
      'maximum time of each attempt (default: 10s, as in the service)',
      parseDuration,
    )
    .addOption(
      new Option('--tamper', 'change a digit after signing; the receiver must reject it').conflicts(
        'wrongSecret',
      ),
    )
    .addOption(new Option('--wrong-secret', 'sign with another secret; the receiver must reject it'))
    .addOption(
      new Option('--no-signature', 'send no signature; the receiver must reject it').conflicts([
        'tamper',
        'wrongSecret',
      ]),
    )
    .addHelpText('after', helpText)
    .action(act(send));
}

const helpText = `
With --tamper, --wrong-secret or --no-signature the event is forged: the command exits 0 if the receiver responds 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks --data send_amount=12.50`;

const statuses: readonly string[] = ['pending', 'processing', 'completed', 'failed'];

const send: Handler<readonly [string], TriggerOptions> = async (session, { args, options }) => {
  const { trigger } = await import('../trigger/trigger.ts');
  return trigger(session, args[0], options);
};

/**
 * Returns the status of an event name. Accepts undocumented statuses after `payment.`.
 *
 * @throws {InvalidArgumentError} when the name is not `payment.…` or a documented status.
 */
function parseEvent(text: string): string {
  const status = statusOfEvent(text);
  if (status !== undefined || statuses.includes(text)) return status ?? text;
  throw new InvalidArgumentError(
    `Write ${statuses.map((each) => `payment.${each}`).join(', ')}, or another payment.… to test the fallback.`,
  );
}

const reservedFields: Readonly<Record<string, string>> = {
  amount: 'Use send_amount or receive_amount.',
  status: 'The status follows from the name of the event.',
  mode: 'Use --mode for the mode.',
};

function addField(text: string, before: EventFields = {}): EventFields {
  const [, name, value] = /^([a-z]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a field and its value, such as send_amount=12.50.');
  if (Object.hasOwn(reservedFields, name)) throw new InvalidArgumentError(reservedFields[name] ?? '');
  return { ...before, [name]: value };
}
