import type { Client, Payment, PaymentStatus } from '@service/sdk';
import { argument, defineCommand, flag, value } from '../command.ts';
import { connect } from '../config.ts';
import { PaymentExistsError, UsageError } from '../errors.ts';
import { parseDuration, timeoutOption } from '../parse.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session } from '../session.ts';
import { findDamage } from '../spreadsheet.ts';
import { toFields, toStatus } from '../terminal.ts';

const amountArguments = {
  from: argument('currency to send, such as USD'),
  to: argument('currency to receive, such as EUR'),
  amount: argument('amount to send, such as 100.00'),
};

const idArgument = argument('id of the payment, such as pay_test_…');

/** Defines `quote`: `POST /quotes` (docs/contract.md#quotes). */
export const quoteCommand: DefineCommand = defineCommand({
  input: { ...amountArguments, timeout: timeoutOption() },
  help: 'Example:\n  $ service-cli quote USD EUR 100.00',
  async run(session, { from, to, amount, timeout }) {
    const client = await connect(session, timeout);
    const { signal } = session;
    const body = { from_currency: from, to_currency: to, amount };
    const quote = await client.quotes.create(body, { signal });
    await session.output.result(quote, toFields(quote, session.output.terminal));
  },
});

/** Defines `pay`: `POST /payments`, sent exactly once (docs/contract.md#payments). */
export const payCommand: DefineCommand = defineCommand({
  input: {
    ...amountArguments,
    name: value('<name>', 'full name of the beneficiary; required'),
    bank: value('<bank>', 'bank of the beneficiary'),
    account: value('<account>', 'account number or IBAN of the beneficiary'),
    country: value('<country>', 'country of the beneficiary'),
    purpose: value('<text>', 'purpose or reference; use a unique one to find the payment again'),
    wait: flag('wait for a final status; exits 1 if the payment fails'),
    waitTimeout: value('<span>', 'maximum time of --wait (default: 60s)', parseDuration),
    timeout: timeoutOption('each request'),
    idempotencyKey: value('<key>', 'Idempotency-Key (default: a new UUID)'),
  },
  help: `After exit code 3, check whether the payment exists before you repeat the command.
If a gateway retries requests and the service ignores Idempotency-Key, the gateway can pay twice,
and a payment can exist although the command exits 1. To pay a file of payments, use pay-file.

Example:
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd' --purpose INV-42 --wait`,
  async run(session, input) {
    const { signal, output } = session;
    const { name, wait, waitTimeout, idempotencyKey } = input;
    if (name === undefined) throw new UsageError("required option '--name <name>' not specified");
    if (waitTimeout !== undefined && wait !== true) throw new UsageError('--wait-timeout needs --wait.');
    const client = await connect(session, input.timeout);
    const damage = findDamage({ name, bank: input.bank, account: input.account, purpose: input.purpose });
    if (damage !== undefined) throw new UsageError(`--${damage}`);
    const body = {
      from_currency: input.from,
      to_currency: input.to,
      amount: input.amount,
      beneficiary_name: name,
      beneficiary_bank: input.bank,
      beneficiary_account: input.account,
      beneficiary_country: input.country,
      purpose: input.purpose,
    };
    const payment = await client.payments.create(body, { signal, maxRetries: 0, idempotencyKey });
    const { id, status: shown } = payment;
    try {
      await output.result(payment, toFields(payment, output.terminal));
      if (wait !== true) return exitCodes.ok;
      return await follow(session, client, id, { timeout: waitTimeout, shown });
    } catch (error) {
      throw new PaymentExistsError(id, error);
    }
  },
});

/** Defines `payment get`: `GET /payments/{payment_id}`. */
export const paymentGetCommand: DefineCommand = defineCommand({
  input: { id: idArgument, timeout: timeoutOption() },
  help: 'Example:\n  $ service-cli payment get pay_test_… --json | jq -r .status',
  async run(session, { id, timeout }) {
    const client = await connect(session, timeout);
    const payment = await client.payments.retrieve(id, { signal: session.signal });
    await session.output.result(payment, toFields(payment, session.output.terminal));
  },
});

/** Defines `payment wait`, which repeats `GET /payments/{payment_id}`. */
export const paymentWaitCommand: DefineCommand = defineCommand({
  input: {
    id: idArgument,
    timeout: value('<span>', 'maximum total time (default: 60s)', parseDuration),
  },
  isVerdict: true,
  help: 'Example:\n  $ service-cli payment wait pay_test_… --timeout 5m',
  async run(session, { id, timeout }) {
    return follow(session, await connect(session), id, { timeout });
  },
});

/**
 * Prints each status of a payment until the final one. Returns `refused` if the payment failed.
 *
 * @param goal The maximum total time in milliseconds, and the status that was already printed.
 */
async function follow(
  { signal, output }: Session,
  client: Client,
  id: string,
  { timeout = 60_000, shown }: { timeout: number | undefined; shown?: PaymentStatus },
): Promise<ExitCode> {
  let last = shown ?? 'unknown';
  const wait = (): Promise<Payment> =>
    client.payments.waitFor(id, {
      timeout,
      signal,
      onStatus: async (payment) => {
        last = payment.status;
        const line = [`${payment.id}  `, toStatus(payment.status, output.terminal)];
        if (payment.status !== shown) await output.result(payment, [line]);
      },
    });
  const { status } = await output.wait(() => ({ text: `${id}: ${last}`, limit: timeout }), wait);
  if (status === 'completed') return exitCodes.ok;
  output.note(`The final status of the payment is ${status}.`);
  return exitCodes.refused;
}
