import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { modes } from '../config.ts';
import { parseDuration, parseWhole, statusOfEvent } from '../parse.ts';
import type { Act, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';
import type { EventFields } from '../trigger/event-body.ts';
import type { TriggerOptions } from '../trigger/trigger.ts';

/** Adds `webhooks trigger`: an event made up here, sent to a receiver as the service sends it (spec §6). */
export function addTrigger(webhooks: Command, act: Act): void {
  const command = webhooks
    .command('trigger')
    .description('Send an event to your receiver, signed as the service signs it; exit 1 when it is refused.')
    .addArgument(new Argument('<event>', 'such as payment.completed').argParser(parseEvent))
    .requiredOption('--to <url>', 'address of the receiver; plain http on this machine alone');
  addSecretFile(command)
    .option('--data <field=value>', 'set a field of the payment; may be repeated', addField)
    .addOption(new Option('--mode <mode>', 'mode of the event').choices(modes).default('test'))
    .option('--live', 'let an event of live mode leave this machine')
    .option('--times <count>', 'send the same bytes so many times', parseWhole(1, 100), 1)
    .option('--timeout <span>', 'limit each answer (default: 10s, as the service does)', parseDuration)
    .addOption(
      new Option('--tamper', 'change a digit after signing; the receiver must refuse it').conflicts(
        'wrongSecret',
      ),
    )
    .addOption(new Option('--wrong-secret', 'sign with another secret; the receiver must refuse it'))
    .addOption(
      new Option('--no-signature', 'send none; the receiver must refuse it').conflicts([
        'tamper',
        'wrongSecret',
      ]),
    )
    .addHelpText('after', helpText)
    .action(act(send));
}

const helpText = `
A forged event (--tamper, --wrong-secret, --no-signature) is to be refused: exit 0 means that it was, with 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks --data send_amount=12.50`;

const statuses: readonly string[] = ['pending', 'processing', 'completed', 'failed'];

const send: Handler<readonly [string], TriggerOptions> = async (session, { args, options }) => {
  const { trigger } = await import('../trigger/trigger.ts');
  return trigger(session, args[0], options);
};

/** Parses the name of an event into its status; any status will do, where it is clear that one is meant. */
function parseEvent(text: string): string {
  const status = statusOfEvent(text);
  if (status !== undefined || statuses.includes(text)) return status ?? text;
  throw new InvalidArgumentError(
    `There are ${statuses.map((each) => `payment.${each}`).join(', ')}, and any other payment.… to see what a fallback does.`,
  );
}

const advice: Readonly<Record<string, string>> = {
  amount: 'An event has send_amount and receive_amount.',
  status: 'The status is that of the event.',
  mode: 'The mode is that of --mode.',
};

function addField(text: string, before: EventFields = {}): EventFields {
  const [, name, value] = /^([a-z]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a field and its value, such as send_amount=12.50.');
  if (Object.hasOwn(advice, name)) throw new InvalidArgumentError(advice[name] ?? '');
  return { ...before, [name]: value };
}
