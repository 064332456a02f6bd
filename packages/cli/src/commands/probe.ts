import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, parseId, parseWhole } from '../parse.ts';
import type { ProbeOptions } from '../probe/run.ts';
import type { Act, Handler } from '../session.ts';
import { addSecretFile } from '../signing-secret.ts';

/** Adds `probe`: finds out what a service does where its document leaves that open (contract.md 8). */
export function addProbe(program: Command, act: Act): void {
  addSecretFile(program.command('probe'))
    .description('Find out the profile of a service: what it does where its document leaves that open.')
    .option('--from <currency>', 'currency to send', toCode, 'USD')
    .option('--to <currency>', 'currency to receive', toCode, 'EUR')
    .option('--amount <amount>', 'amount of each test payment', toAmount, '10.00')
    .option('--name <name>', 'beneficiary', 'Probe')
    .option('--failing <account>', 'beneficiary account with which a payment fails', 'SIM-FAIL')
    .option(
      '--returning <account>',
      'beneficiary account with which a payment fails after it completed',
      'SIM-RETURN',
    )
    .option('--foreign-payment <id>', 'a payment of another account, to see how it is refused', parseId)
    .option('--burst <requests>', 'send up to so many to meet the rate limit', parseWhole(0, 10_000), 0)
    .option('--timeout <span>', 'watch each payment for so long (default: 60s)', parseDuration)
    .option('--no-payments', 'create no test payments: their settings stay unknown')
    .addOption(
      new Option('--sandbox', 'have service-cli mock send the webhooks of the key here').conflicts('listen'),
    )
    .option(
      '--listen <port>',
      'receive webhooks at this port of this machine, where the endpoint of the service leads',
      parseWhole(1, 65_535),
    )
    .option('--webhook-timeout <span>', 'wait for each webhook for so long (default: 30s)', parseDuration)
    .option('--save <file>', 'write the settings that were found as JSON, for mock --profile')
    .option('--expect <file>', 'exit 1 when the service does otherwise than the settings in this file')
    .addHelpText(
      'after',
      '\nExample:\n  $ service-cli probe --save profile.json && service-cli mock --profile profile.json',
    )
    .action(act(probe));
}

/** Loads the probe only now: no other command needs it. */
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
