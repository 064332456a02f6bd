import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId, parseWhole } from '../parse.ts';
import type { ProbeOptions } from '../probe/run.ts';
import type { CreateAction, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';

/** Adds `probe`, which measures the profile settings of a service (docs/contract.md#profile-settings). */
export function addProbe(program: Command, act: CreateAction): void {
  addSecretFile(program.command('probe'))
    .description('Measure the profile of a service: its behavior where its document leaves a choice.')
    .option('--from <currency>', 'currency to send', toCode, 'USD')
    .option('--to <currency>', 'currency to receive', toCode, 'EUR')
    .option('--amount <amount>', 'amount of each test payment', toAmount, '10.00')
    .option('--name <name>', 'name of the beneficiary', 'Probe')
    .option('--failing <account>', 'beneficiary account whose payments fail', 'SIM-FAIL')
    .option(
      '--returning <account>',
      'beneficiary account whose payments fail after they completed',
      'SIM-RETURN',
    )
    .option(
      '--foreign-payment <id>',
      'payment of another account, to see how the service rejects it',
      parseId,
    )
    .option('--burst <requests>', 'maximum requests to reach the rate limit', parseWhole(0, 10_000), 0)
    .option('--timeout <span>', 'maximum time to watch each payment (default: 60s)', parseDuration)
    .option('--no-payments', 'create no test payments; their settings remain unknown')
    .addOption(
      new Option('--sandbox', 'receive the webhooks of a running service-cli mock').conflicts('listen'),
    )
    .option(
      '--listen <port>',
      'port of this machine that the webhook endpoint of the service leads to',
      parseWhole(1, 65_535),
    )
    .option('--webhook-timeout <span>', 'maximum wait for each webhook (default: 30s)', parseDuration)
    .option('--save <file>', 'write the settings as JSON, for mock --profile')
    .option('--expect <file>', 'exit 1 if the service differs from the settings in this file')
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli probe --save profile.json && service-cli mock --profile profile.json',
    )
    .action(act(probe));
}

/** Loads the probe lazily, because no other command needs it. */
const probe: Handler<readonly [], ProbeOptions> = async (session, { options }) =>
  (await import('../probe/run.ts')).runProbe(session, options);

function toCode(text: string): string {
  if (/^[A-Za-z]{3}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError('Write a currency of three letters, such as USD.');
}

function toAmount(text: string): string {
  if (/^\d{1,9}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new InvalidArgumentError('Write an amount above 0 with at most 2 decimals, such as 1.00.');
}
