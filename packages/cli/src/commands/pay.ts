import type { PaymentInput } from '@service/sdk';
import type { Command } from 'commander';
import { openClient, readSettings } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse.ts';
import { afterPayment } from '../payment-exists-error.ts';
import { toPaymentLines } from '../payment-lines.ts';
import type { CreateAction, Handler } from '../session.ts';
import { UsageError } from '../usage-error.ts';
import { follow } from './follow.ts';

/** Adds `pay`: `POST /payments`, sent exactly once (docs/contract.md#payments). */
export function addPay(program: Command, act: CreateAction): void {
  program
    .command('pay')
    .description('Create a payment. The request is sent once and never retried.')
    .argument('<from>', 'currency to send, such as USD')
    .argument('<to>', 'currency to receive, such as EUR')
    .argument('<amount>', 'amount to send, such as 100.00')
    .requiredOption('--name <name>', 'full name of the beneficiary')
    .option('--bank <bank>', 'bank of the beneficiary')
    .option('--account <account>', 'account number or IBAN of the beneficiary')
    .option('--country <country>', 'country of the beneficiary')
    .option('--purpose <text>', 'purpose or reference; use a unique one to find the payment again')
    .option('--idempotency-key <key>', 'Idempotency-Key to send (default: a new UUID)')
    .option('--no-idempotency-key', 'send no Idempotency-Key')
    .option('--wait', 'wait for a final status; exits 1 if the payment fails')
    .option('--wait-timeout <span>', 'maximum time of --wait (default: 60s)', parseDuration)
    .option('--timeout <span>', 'maximum time of each request (default: 30s)', parseDuration)
    .addHelpText('after', helpText)
    .action(act(pay));
}

const helpText = `
After exit code 3, check whether the payment exists before you repeat the command.
If a gateway retries requests and the service ignores Idempotency-Key, the gateway can pay twice, and a payment can exist
although the command exits 1.

Example:
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait`;

interface Options {
  readonly name: string;
  readonly bank?: string;
  readonly account?: string;
  readonly country?: string;
  readonly purpose?: string;
  /** False with `--no-idempotency-key`. */
  readonly idempotencyKey?: string | false;
  readonly wait?: true;
  readonly waitTimeout?: number;
  readonly timeout?: number;
}

type Args = readonly [from: string, to: string, amount: string];

const pay: Handler<Args, Options> = async (session, { args, options }) => {
  const { environment, output } = session;
  if (options.waitTimeout !== undefined && options.wait !== true)
    throw new UsageError('--wait-timeout needs --wait.');
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
