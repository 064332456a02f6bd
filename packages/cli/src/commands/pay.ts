import type { PaymentInput } from '@service/sdk';
import type { Command } from 'commander';
import { openClient, readSettings } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse.ts';
import { afterPayment } from '../payment-exists-error.ts';
import { toPaymentLines } from '../payment-lines.ts';
import type { Act, Handler } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { follow } from './follow.ts';

/** Adds `pay`: `POST /payments`, sent once and never repeated (spec §4). */
export function addPay(program: Command, act: Act): void {
  program
    .command('pay')
    .description('Create a payment. The request is sent once and never repeated.')
    .argument('<from>', 'currency to send, such as USD')
    .argument('<to>', 'currency to receive, such as EUR')
    .argument('<amount>', 'amount to send, such as 100.00')
    .requiredOption('--name <name>', 'full name of the beneficiary')
    .option('--bank <bank>', 'bank of the beneficiary')
    .option('--account <account>', 'account number or IBAN of the beneficiary')
    .option('--country <country>', 'country of the beneficiary')
    .option('--purpose <text>', 'purpose or reference; one that is unique lets you find the payment again')
    .option('--idempotency-key <key>', 'Idempotency-Key to send (default: a new UUID)')
    .option('--no-idempotency-key', 'send no Idempotency-Key')
    .option('--wait', 'wait for a final status; exit 1 when the payment fails')
    .option('--wait-timeout <span>', 'limit the waiting of --wait (default: 60s)', parseDuration)
    .option('--timeout <span>', 'limit each request (default: 30s)', parseDuration)
    .addHelpText('after', helpText)
    .action(act(pay));
}

const helpText = `
Exit code 3 can mean that the payment exists: look before you repeat the command.
Behind a gateway that repeats requests, the Idempotency-Key protects only if the service honors keys. If it does not, such a
gateway can pay twice, and a payment can exist although the command ends with 1.

Example:
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait`;

type Options = {
  readonly name: string;
  readonly bank?: string;
  readonly account?: string;
  readonly country?: string;
  readonly purpose?: string;
  /** False: no key. */
  readonly idempotencyKey?: string | false;
  readonly wait?: true;
  readonly waitTimeout?: number;
  readonly timeout?: number;
};

type Args = readonly [from: string, to: string, amount: string];

const pay: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  if (options.waitTimeout !== undefined && options.wait !== true)
    throw new UsageError('--wait-timeout limits the waiting of --wait, which is not there.');
  const { idempotencyKey, waitTimeout: timeout = 60_000 } = options;
  const settings = await readSettings(session, options.timeout);
  const client = await openClient({
    ...settings,
    idempotencyKeys: idempotencyKey === false ? 'omit' : 'send',
  });
  const { signal } = environment;
  const created = await client.payments.create(toInput(args, options), {
    signal,
    idempotencyKey: idempotencyKey === false ? undefined : idempotencyKey,
  });
  const { id, status: shown } = created;
  return afterPayment(id, async () => {
    await output.result(created, toPaymentLines(created));
    return options.wait ? follow(session, { client, id, until: 'final', timeout, shown }) : exitCodes.ok;
  });
};

function toInput([from_currency, to_currency, amount]: Args, options: Options): PaymentInput {
  return {
    from_currency,
    to_currency,
    amount,
    beneficiary_name: options.name,
    beneficiary_bank: options.bank,
    beneficiary_account: options.account,
    beneficiary_country: options.country,
    purpose: options.purpose,
  };
}
