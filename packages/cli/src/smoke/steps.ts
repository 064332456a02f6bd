import { CENT, type RunClock, toMicro } from '@service/internal';
import {
  type Client,
  type Mode,
  NotFoundError,
  type Payment,
  type Quote,
  ServerError,
  ServiceError,
  type Transaction,
} from '@service/sdk';
import { createApi } from '@service/sdk/api';
import { UsageError } from '../errors.ts';
import { formatMoney } from '../table.ts';

/** The payment of a smoke test. */
interface SmokePlan {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly name: string;
  readonly account?: string | undefined;
  readonly purpose: string;
}

/** The state and the dependencies of the steps. The steps set `quote`, `payment` and `createdAt`. */
export interface SmokeContext {
  /** A client that reports each 404. */
  readonly client: Client;
  /** A client with an unknown API key. */
  readonly unknownKeyClient: Client;
  readonly mode: Mode;
  readonly plan: SmokePlan;
  /** Maximum time to wait for a final status, in milliseconds. */
  readonly timeout: number;
  /** Maximum time from the create to the first read that shows the payment, in milliseconds. */
  readonly readLag: number;
  readonly clock: RunClock;
  readonly signal: AbortSignal;
  quote?: Quote;
  payment?: Payment;
  /** Time of the create response, by the clock. */
  createdAt?: number;
}

/** The result of a step that did not fail: its status, and the detail. */
type StepResult = readonly [status: 'ok' | 'warning' | 'skipped', detail: string];

/** The error of a response that contradicts the contract. */
export class Discrepancy extends Error {
  override readonly name = 'Discrepancy' as const;
}

/** One check of the service. */
export interface Step {
  readonly name: string;
  /** The result of an earlier step that this step requires. */
  readonly needs?: 'quote' | 'payment';
  readonly check: (context: SmokeContext) => Promise<StepResult>;
}

/** All steps in their order. If the first one fails, the others are skipped. */
export const steps: readonly Step[] = [
  { name: 'key', check: checkKey },
  { name: 'balance', check: checkBalance },
  { name: 'quote', check: checkQuote },
  { name: 'create', needs: 'quote', check: checkCreate },
  { name: 'retrieve', needs: 'payment', check: checkRetrieve },
  { name: 'wait', needs: 'payment', check: checkWait },
  { name: 'transactions', needs: 'payment', check: checkTransactions },
  { name: 'wrong key', check: checkWrongKey },
  { name: 'bad amount', check: checkBadAmount },
  { name: 'unknown payment', check: checkUnknownPayment },
];

/**
 * Checks a guarantee of the contract.
 *
 * @throws {Discrepancy} when the condition is false.
 */
function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Discrepancy(message);
}

/** Whether a value is an amount of 0 or more, as number or decimal text (docs/contract.md#profile-settings). */
function isFigure(value: unknown): boolean {
  return /^\d+(?:\.\d+)?$/.test(String(value));
}

function isPositive(value: unknown): boolean {
  return isFigure(value) && /[1-9]/.test(String(value));
}

/** Whether two amounts are equal to two decimals. A float tail is ignored (docs/contract.md#profile-settings). */
function isSameAmount(one: unknown, other: unknown): boolean {
  return toHundredths(one) === toHundredths(other);
}

function toHundredths(value: unknown): string {
  return isFigure(value) ? Number(value).toFixed(2) : String(value);
}

async function checkKey({ client, mode, signal }: SmokeContext): Promise<StepResult> {
  const { mode: found = 'absent' } = await client.balance.retrieve({ signal }).withResponse();
  expectThat(found === mode, `the mode of the key is ${mode}, the mode of the response is ${found}`);
  return ['ok', `accepted, mode ${mode}`];
}

async function checkBalance({ client, plan, signal }: SmokeContext): Promise<StepResult> {
  const { balances } = await client.balance.retrieve({ signal });
  for (const { currency, balance } of balances) {
    expectThat(/^[A-Z]{3}$/.test(currency), `a wallet has the invalid currency ${JSON.stringify(currency)}`);
    expectThat(isFigure(balance), `the balance of ${currency} is ${JSON.stringify(balance)}, not an amount`);
  }
  const wallet = balances.find(({ currency }) => currency === plan.from);
  return ['ok', wallet === undefined ? `no ${plan.from} wallet` : formatMoney(wallet.balance, plan.from)];
}

async function checkQuote(context: SmokeContext): Promise<StepResult> {
  const { client, plan, signal } = context;
  const { from: from_currency, to: to_currency, amount } = plan;
  const quote = await client.quotes.create({ from_currency, to_currency, amount }, { signal });
  const { send_amount, fee, rate, receive_amount } = quote;
  expectThat(isSameAmount(send_amount, amount), `send_amount is ${send_amount}, not ${amount}`);
  expectThat(isFigure(fee), `fee is ${fee}`);
  expectThat(isPositive(rate), `rate is ${rate}`);
  // The fee and the rate leave less than 0.01.
  const [send, cost, price] = [send_amount, fee, rate].map(toMicro);
  const isKnown = send !== undefined && cost !== undefined && price !== undefined;
  if (isKnown && !isPositive(receive_amount) && (send - cost) * price < CENT * 1_000_000n)
    throw new UsageError(
      `${formatMoney(amount, from_currency)} is too small: the fee is ${fee} and the rate ${rate}, so receive_amount is 0. Raise --amount.`,
    );
  expectThat(isPositive(receive_amount), `receive_amount is ${receive_amount}`);
  context.quote = quote;
  const received = formatMoney(receive_amount, to_currency);
  return ['ok', `${received} for ${formatMoney(amount, from_currency)}, rate ${rate}`];
}

async function checkCreate(context: SmokeContext): Promise<StepResult> {
  const { plan, mode, signal } = context;
  const { amount } = plan;
  const body = {
    from_currency: plan.from,
    to_currency: plan.to,
    amount,
    purpose: plan.purpose,
    beneficiary_name: plan.name,
    beneficiary_account: plan.account,
  };
  const payment = await context.client.payments.create(body, { signal });
  context.payment = payment;
  context.createdAt = context.clock.now();
  const { id, status, send_amount, receive_amount } = payment;
  expectThat(id.startsWith(`pay_${mode}_`), `the id ${id} is not a ${mode} mode id`);
  expectThat(status === 'pending', `the status of a new payment is ${status}, not pending`);
  expectThat(isSameAmount(send_amount, amount), `send_amount is ${send_amount}, not ${amount}`);
  expectThat(isPositive(receive_amount), `receive_amount is ${receive_amount}`);
  return ['ok', id];
}

const fixedFields = ['id', 'from_currency', 'to_currency', 'send_amount', 'rate', 'receive_amount'] as const;

/** Retrieves the payment, again after each 404 within the read lag. */
async function checkRetrieve(context: SmokeContext): Promise<StepResult> {
  const { client, clock, signal, readLag, createdAt = clock.now() } = context;
  const created = requirePayment(context);
  for (let lag = 0; ; lag = clock.now() - createdAt) {
    const elapsed = clock.now() - createdAt;
    try {
      const found = await client.payments.retrieve(created.id, { signal });
      for (const field of fixedFields)
        expectThat(
          found[field] === created[field],
          `${field} changed from ${created[field]} to ${found[field]}`,
        );
      const detail = `same amounts and rate, ${found.status}`;
      return ['ok', lag === 0 ? detail : `${detail}; read lag ${formatSeconds(lag)}`];
    } catch (error) {
      if (elapsed >= readLag) throw toDiscrepancy(error, readLag);
      if (!isNotFound(error)) throw error;
    }
    await clock.sleep(100, signal);
  }
}

/** Whether an error is a 404 of the service itself. */
function isNotFound(error: unknown): boolean {
  return error instanceof NotFoundError && error.outcome === 'rejected';
}

/** Converts a 404 to the error of a read lag that is too long. Returns any other error unchanged. */
function toDiscrepancy(error: unknown, readLag: number): unknown {
  if (!isNotFound(error)) return error;
  return new Discrepancy(
    `the payment was created, but reads still respond with 404 after ${formatSeconds(readLag)}; raise --read-lag to allow a longer lag`,
  );
}

/** Formats milliseconds as seconds, such as `0.5 s`. */
function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

async function checkWait(context: SmokeContext): Promise<StepResult> {
  const { client, timeout, readLag, signal } = context;
  const statuses: string[] = [];
  const onStatus = ({ status }: Payment): void => void statuses.push(status);
  const options = { timeout, readLag, signal, onStatus };
  context.payment = await client.payments
    .waitFor(requirePayment(context).id, options)
    .catch((error: unknown) => {
      throw toDiscrepancy(error, readLag);
    });
  return ['ok', statuses.join(', ')];
}

/** Maximum number of transactions to search. The payment is new and the list is newest first. */
const MAX_ROWS = 500;

/** Finds the transaction of the payment, and checks that it has the id with which `payment reconcile` finds a lost payment. */
async function checkTransactions(context: SmokeContext): Promise<StepResult> {
  const { client, plan, signal } = context;
  const payment = requirePayment(context);
  const list = client.transactions.list({ per_page: 100 }, { signal });
  const { warnings } = await list.withResponse();
  const readWarning = (wanted: string): string | undefined =>
    warnings.find(({ code }) => code === wanted)?.message.replace(/\.$/, '');
  const unclear = readWarning('unclear_amount');
  const rows: Transaction[] = [];
  for await (const row of list) {
    if (JSON.stringify(row).includes(payment.id))
      return ['ok', `${row.id ?? 'a transaction'} has the payment id${unclear ? `. ${unclear}` : ''}`];
    if (row.reference === plan.purpose)
      return warn('the transaction of the payment does not have the payment id');
    rows.push(row);
    if (rows.length >= MAX_ROWS) break;
  }
  const unreadable = readWarning('unreadable_row');
  if (unreadable) return warn(unreadable);
  if (payment.status !== 'completed')
    return ['skipped', `not checked: a ${payment.status} payment may have no transaction`];
  const hasReferences = rows.some((row) => row.payment_id !== undefined || row.reference !== undefined);
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

async function checkWrongKey({ unknownKeyClient, signal }: SmokeContext): Promise<StepResult> {
  const call = unknownKeyClient.balance.retrieve({ signal });
  return expectError(call, 401, 'authentication_error');
}

/** Sends an invalid amount without the checks of the SDK. A quote, because it can never create a payment. */
async function checkBadAmount({ client, plan, signal }: SmokeContext): Promise<StepResult> {
  const body = { from_currency: plan.from, to_currency: plan.to, amount: 0 };
  const { response, error } = await createApi(client).POST('/quotes', { body, signal });
  const { status } = response;
  if (status >= 500)
    throw new ServerError(`The service responded with status ${status}.`, { status, outcome: 'unknown' });
  return checkError({ status, type: error?.error?.type }, 422, 'validation_error');
}

async function checkUnknownPayment({ client, mode, signal }: SmokeContext): Promise<StepResult> {
  const id = `pay_${mode}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
  return expectError(client.payments.retrieve(id, { signal }), 404, 'not_found');
}

async function expectError(call: Promise<unknown>, status: number, type: string): Promise<StepResult> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome !== 'rejected') throw error;
    return checkError(error, status, type);
  }
  throw new Discrepancy(`the request succeeded; expected status ${status}`);
}

/** Checks the status of an error, and its type if the response has one (docs/contract.md#profile-settings). */
function checkError(
  found: { readonly status: number | undefined; readonly type: string | undefined },
  status: number,
  type: string,
): StepResult {
  const actual = `${found.status} ${found.type ?? 'without a type'}`;
  const isExpected = found.status === status && (found.type ?? type) === type;
  expectThat(isExpected, `the response is ${actual}, not ${status} ${type}`);
  return ['ok', `rejected with ${actual}`];
}

function requirePayment({ payment }: Pick<SmokeContext, 'payment'>): Payment {
  expectThat(payment !== undefined, 'no payment was created');
  return payment;
}
