import {
  AbortError,
  ConnectionError,
  type Payment,
  PaymentOutcomeUnknownError,
  ServiceError,
  TimeoutError,
  type Transaction,
  WaitTimeoutError,
} from '@service/sdk';
import { createPayer, memoryStore } from '@service/sdk/payer';
import { defineCommand, flag, preset, value, type ValuesOf } from '../command.ts';
import { modeOfKey, openClient, readSettings } from '../config.ts';
import { UsageError } from '../errors.ts';
import { summarize } from '../failure.ts';
import { type FailureCause, type StepReport, toJUnit } from '../junit.ts';
import { checkFolder, maskKeys, writeReport } from '../output.ts';
import { parseDuration } from '../parse.ts';
import { type DefineCommand, exitCodes, type Session } from '../session.ts';
import { formatMoney, type Line, type Terminal, toRow, toStatus } from '../terminal.ts';

const input = {
  from: preset('<currency>', 'currency to send', 'USD'),
  to: preset('<currency>', 'currency to receive', 'EUR'),
  amount: preset('<amount>', 'amount to send', '1.00'),
  name: value('<name>', 'name of the beneficiary (default: Smoke Test; required with --live)'),
  account: value('<account>', 'account number or IBAN of the beneficiary'),
  timeout: value('<span>', 'maximum wait for a final status (default: 60s)', parseDuration),
  readLag: value('<span>', 'accepted read lag after the create (default: 10s)', parseDuration),
  live: flag('allow a live key, which pays real money'),
  junit: value('<file>', 'write the steps as JUnit XML'),
};

/** Defines `smoke`, which tests the service at the base URL from end to end. */
export const smokeCommand: DefineCommand = defineCommand({
  input,
  isVerdict: true,
  help: `Exit codes: 0 every step passed or was skipped, 1 the service is wrong or not reachable, 3 outcome
unknown, or a lost payment could not be found.

Example:
  $ service-cli smoke --from USD --to EUR --amount 1.00 --timeout 2m`,
  async run(session, options) {
    const { output, signal } = session;
    const { terminal } = output;
    const context: SmokeContext = await openContext(session, options);
    const reports: StepReport[] = [];
    const runSteps = async (): Promise<void> => {
      for (const step of steps) {
        const report = await runStep(step, context, reports);
        reports.push(report);
        if (!output.json) await output.result(undefined, toStepLines(report, terminal));
      }
    };
    const total = steps.length;
    await output.wait(() => {
      const { length: done } = reports;
      return { text: `Running the step ${steps[done]?.name}`, done, total };
    }, runSteps);
    const failed = reports.filter(({ status }) => status === 'failed');
    const warnings = reports.filter(({ status }) => status === 'warning').length;
    const mark = failed.length > 0 ? 'FAILED' : warnings > 0 ? 'WARNING' : 'ok';
    const document = { ok: mark === 'ok', mode: context.mode, steps: reports };
    const more = warnings === 0 ? '' : `, ${warnings} with a warning`;
    const summary = `: ${total} steps, ${failed.length} failed${more}`;
    await output.result(document, ['', [toStatus(mark.toLowerCase(), terminal, mark), summary]]);
    // Last: the result of a run that created a payment must not be lost.
    if (options.junit !== undefined)
      await writeReport('--junit', options.junit, maskKeys(toJUnit(reports, 'service-cli smoke')));
    // Nothing was sent to an address that is not reachable.
    const isUnclear = failed.some(({ cause }) => cause !== 'service' && cause !== 'unreachable');
    if (signal.aborted || isUnclear) return exitCodes.unknown;
    if (failed.length > 0) return exitCodes.refused;
    // With a warning, a lost payment could not be found.
    return warnings === 0 ? exitCodes.ok : exitCodes.unknown;
  },
});

/** The dependencies of the steps, and their results. */
type SmokeContext = Awaited<ReturnType<typeof openContext>> & {
  hasQuote?: true;
  payment?: Payment;
};

/**
 * Creates the clients, and checks all options. Sends nothing.
 *
 * @throws {UsageError} when an option is missing.
 * @throws {ValidationError} when the SDK rejects the payment of the options.
 */
async function openContext(session: Session, options: ValuesOf<typeof input>) {
  const { signal } = session;
  const { amount, account, name = 'Smoke Test', timeout = 60_000, readLag = 10_000 } = options;
  const settings = await readSettings(session);
  const client = await openClient({ ...settings, readLag });
  const mode = modeOfKey(settings.apiKey);
  if (mode === 'live' && options.live !== true)
    throw new UsageError('A live key pays real money. Pass --live to allow that.');
  if (mode === 'live' && options.name === undefined)
    throw new UsageError('--live pays real money. Pass the beneficiary with --name.');
  const [from_currency, to_currency] = [options.from.toUpperCase(), options.to.toUpperCase()];
  const plan = { from_currency, to_currency, amount };
  const purpose = `smoke-${crypto.randomUUID()}`;
  const body = { ...plan, purpose, beneficiary_name: name, beneficiary_account: account };
  await createPayer(client, { store: memoryStore() }).prepare(purpose, body);
  await checkFolder('--junit', options.junit);
  session.output.note(`Testing ${settings.baseUrl} with ${maskKeys(settings.apiKey)}.`);
  // A well-formed key that no account has. The `+` keeps a sandbox with open accounts from opening one.
  const apiKey = `service_${mode}_unknown+${crypto.randomUUID()}`;
  const unknownKeyClient = await openClient({ ...settings, apiKey });
  return { client, unknownKeyClient, mode, plan, body, timeout, signal };
}

/** The detail of a step that passed, or another result of one that did not fail. */
type StepResult = string | readonly [status: 'warning' | 'skipped', detail: string];

/** The error of a response that contradicts the contract. */
class Discrepancy extends Error {
  override readonly name = 'Discrepancy' as const;
}

/** The error of a step that needs the result of a failed one. */
class MissingResult extends Error {}

/** One check of the service. */
interface Step {
  readonly name: string;
  readonly check: (context: SmokeContext) => Promise<StepResult>;
}

const fixedFields = ['id', 'from_currency', 'to_currency', 'send_amount', 'rate', 'receive_amount'] as const;

/** All steps in their order. If the first one fails, the others are skipped. */
const steps: readonly Step[] = [
  {
    name: 'balance',
    async check({ client, mode, plan: { from_currency: from }, signal }) {
      const { data, mode: found = 'absent' } = await client.balance.retrieve({ signal }).withResponse();
      expectThat(found === mode, `the mode of the key is ${mode}, the mode of the response is ${found}`);
      for (const { currency, balance } of data.balances) {
        const wallet = `a wallet has the currency ${JSON.stringify(currency)} and the balance ${JSON.stringify(balance)}`;
        expectThat(/^[A-Z]{3}$/.test(currency) && isFigure(balance), wallet);
      }
      const wallet = data.balances.find(({ currency }) => currency === from);
      return `mode ${mode}, ${wallet === undefined ? `no ${from} wallet` : formatMoney(wallet.balance, from)}`;
    },
  },
  {
    name: 'quote',
    async check(context) {
      const { from_currency, to_currency, amount } = context.plan;
      const quote = await context.client.quotes.create(context.plan, { signal: context.signal });
      const { send_amount, fee, rate, receive_amount } = quote;
      expectThat(isSameAmount(send_amount, amount), `send_amount is ${send_amount}, not ${amount}`);
      expectThat(isFigure(fee), `fee is ${fee}`);
      expectThat(isPositive(rate), `rate is ${rate}`);
      // The fee and the rate leave less than 0.01.
      const isTooSmall = (send_amount - fee) * rate < 0.01;
      if (isTooSmall && !isPositive(receive_amount))
        throw new UsageError(
          `${formatMoney(amount, from_currency)} is too small: the fee is ${fee} and the rate ${rate}, so receive_amount is 0. Raise --amount.`,
        );
      expectThat(isPositive(receive_amount), `receive_amount is ${receive_amount}`);
      context.hasQuote = true;
      return `${formatMoney(receive_amount, to_currency)} for ${formatMoney(amount, from_currency)}, rate ${rate}`;
    },
  },
  {
    name: 'create',
    async check(context) {
      const { body, mode, signal, hasQuote } = context;
      if (!hasQuote) return ['skipped', 'no valid quote was received'];
      const payment = await context.client.payments.create(body, { signal });
      context.payment = payment;
      const { id, status, send_amount, receive_amount } = payment;
      expectThat(id.startsWith(`pay_${mode}_`), `the id ${id} is not a ${mode} mode id`);
      expectThat(status === 'pending', `the status of a new payment is ${status}, not pending`);
      expectThat(isSameAmount(send_amount, body.amount), `send_amount is ${send_amount}, not ${body.amount}`);
      expectThat(isPositive(receive_amount), `receive_amount is ${receive_amount}`);
      return id;
    },
  },
  {
    name: 'retrieve',
    async check(context) {
      const { client, signal } = context;
      const created = requirePayment(context);
      const found = await client.payments.retrieve(created.id, { signal });
      const changed = fixedFields.find((field) => found[field] !== created[field]);
      if (changed !== undefined)
        throw new Discrepancy(`${changed} changed from ${created[changed]} to ${found[changed]}`);
      return `same amounts and rate, ${found.status}`;
    },
  },
  {
    name: 'wait',
    async check(context) {
      const { client, timeout, signal } = context;
      const statuses: string[] = [];
      const onStatus = ({ status }: Payment): void => void statuses.push(status);
      const { id } = requirePayment(context);
      context.payment = await client.payments.waitFor(id, { timeout, signal, onStatus });
      return statuses.join(', ');
    },
  },
  { name: 'transactions', check: checkTransactions },
  {
    name: 'wrong key',
    check: ({ unknownKeyClient, signal }) =>
      expectError(unknownKeyClient.balance.retrieve({ signal }), 401, 'authentication_error'),
  },
  {
    name: 'unknown payment',
    check({ client, mode, signal }) {
      const id = `pay_${mode}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
      return expectError(client.payments.retrieve(id, { signal }), 404, 'not_found');
    },
  },
];

/** Maximum number of transactions to search. The payment is new and the list is newest first. */
const MAX_ROWS = 500;

/** Finds the transaction of the payment, and checks that it has the id with which `payment reconcile` finds a lost payment. */
async function checkTransactions(context: SmokeContext): Promise<StepResult> {
  const { client, body, signal } = context;
  const payment = requirePayment(context);
  const list = client.transactions.list({ per_page: 100 }, { signal });
  const { warnings } = await list.withResponse();
  const rows: Transaction[] = [];
  for await (const row of list) {
    if (JSON.stringify(row).includes(payment.id)) return `${row.id ?? 'a transaction'} has the payment id`;
    if (row.reference === body.purpose)
      return warn('the transaction of the payment does not have the payment id');
    rows.push(row);
    if (rows.length >= MAX_ROWS) break;
  }
  const unreadable = warnings.find(({ code }) => code === 'unreadable_row');
  if (unreadable) return warn(unreadable.message.replace(/\.$/, ''));
  if (payment.status !== 'completed')
    return ['skipped', `not checked: a ${payment.status} payment may have no transaction`];
  const hasReferences = rows.some((row) => row.payment_id !== null || row.reference !== null);
  if (rows.length > 0 && !hasReferences)
    return warn('the transactions have neither payment_id nor reference');
  throw new Discrepancy(`the payment is completed but not among ${rows.length} transactions`);
}

function warn(detail: string): StepResult {
  return [
    'warning',
    `${detail}. PAYMENT RECONCILE WILL NOT WORK: transactions cannot be matched to payments`,
  ];
}

/**
 * Runs a step, unless the earlier ones leave a reason to skip it.
 *
 * @throws {UsageError} when the amount is too small.
 */
async function runStep(
  { name, check }: Step,
  context: SmokeContext,
  reports: readonly StepReport[],
): Promise<StepReport> {
  const toSkipped = (detail: string): StepReport => ({ name, status: 'skipped', detail, duration_ms: 0 });
  if (context.signal.aborted) return toSkipped('interrupted');
  if (reports.some(({ cause }) => cause === 'network' || cause === 'unreachable'))
    return toSkipped('the service cannot be reached');
  if (reports[0]?.status === 'failed') return toSkipped('the first step failed');
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const result = await check(context);
    const [status, detail] = typeof result === 'string' ? (['ok', result] as const) : result;
    return { name, status, detail, duration_ms: since() };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof MissingResult) return toSkipped(error.message);
    // Nothing accepts connections at the address.
    const isClosed = error instanceof ConnectionError && error.outcome === 'not_sent';
    const isUnreachable = isClosed && reports.length === 0;
    const text = error instanceof Discrepancy ? error.message : summarize(error);
    const detail = isUnreachable ? `not reachable: ${text}` : text;
    const cause = isUnreachable ? 'unreachable' : toFailureCause(error);
    return { name, status: 'failed', detail, duration_ms: since(), cause };
  }
}

function toFailureCause(error: unknown): FailureCause {
  if (error instanceof Discrepancy) return 'service';
  if (error instanceof PaymentOutcomeUnknownError)
    return toFailureCause(error.cause) === 'network' ? 'network' : 'unknown';
  // A payment that was read but reached no final status: the service responded.
  if (error instanceof WaitTimeoutError)
    return error.last === undefined ? toFailureCause(error.cause) : 'service';
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof AbortError)
    return 'network';
  return error instanceof ServiceError && error.outcome !== 'unknown' ? 'service' : 'unknown';
}

function toStepLines({ name, status, detail, duration_ms }: StepReport, terminal: Terminal): Line[] {
  const mark = status === 'failed' || status === 'warning' ? status.toUpperCase() : status;
  return toRow(
    [
      [toStatus(status, terminal, mark), terminal.isTTY ? 9 : 7],
      [name, 15],
      [`${duration_ms} ms`.padStart(8), 8],
    ],
    detail,
    terminal,
  );
}

/**
 * Checks a guarantee of the contract.
 *
 * @throws {Discrepancy} when the condition is false.
 */
function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Discrepancy(message);
}

/** Whether a value is an amount of 0 or more, as number or decimal text (docs/contract.md#profile-settings). */
function isFigure(figure: unknown): boolean {
  return /^\d+(?:\.\d+)?$/.test(String(figure));
}

function isPositive(figure: unknown): boolean {
  return isFigure(figure) && /[1-9]/.test(String(figure));
}

/** Whether two amounts are equal to two decimals. A float tail is ignored (docs/contract.md#profile-settings). */
function isSameAmount(one: unknown, other: unknown): boolean {
  return isFigure(one) && isFigure(other) && Number(one).toFixed(2) === Number(other).toFixed(2);
}

/** Checks that a call is rejected with a status, and with a type if the response has one (docs/contract.md#profile-settings). */
async function expectError(call: Promise<unknown>, status: number, type: string): Promise<StepResult> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome !== 'rejected') throw error;
    const actual = `${error.status} ${error.type ?? 'without a type'}`;
    const isExpected = error.status === status && (error.type ?? type) === type;
    expectThat(isExpected, `the response is ${actual}, not ${status} ${type}`);
    return `rejected with ${actual}`;
  }
  throw new Discrepancy(`the request succeeded; expected status ${status}`);
}

function requirePayment({ payment }: Pick<SmokeContext, 'payment'>): Payment {
  if (payment === undefined) throw new MissingResult('no payment was created');
  return payment;
}
