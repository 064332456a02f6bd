import type { RunClock } from '@service/internal';
import { type Client, ServiceError, type Mode, type Payment, type Quote, ServerError } from '@service/sdk';
import { createApi } from '@service/sdk/api';
import { UsageError } from '../errors.ts';
import {
  Discrepancy,
  expectThat,
  formatSeconds,
  isFigure,
  isPositive,
  isSameAmount,
  isSwallowed,
  pass,
  readBack,
  type StepResult,
  toDiscrepancy,
} from './checks.ts';
import { checkTransactions } from './transactions.ts';

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
  { name: 'transactions', needs: 'payment', check: checkOwnTransaction },
  { name: 'wrong key', check: checkWrongKey },
  { name: 'bad amount', check: checkBadAmount },
  { name: 'unknown payment', check: checkUnknownPayment },
];

async function checkKey({ client, mode, signal }: SmokeContext): Promise<StepResult> {
  const response = await client.balance.retrieve({ signal }).withResponse();
  expectThat(
    response.mode === mode,
    `the mode of the key is ${mode}, the mode of the response is ${response.mode ?? 'absent'}`,
  );
  return pass(`accepted, mode ${mode}`);
}

async function checkBalance({ client, plan, signal }: SmokeContext): Promise<StepResult> {
  const { balances } = await client.balance.retrieve({ signal });
  for (const { currency, balance } of balances) {
    expectThat(/^[A-Z]{3}$/.test(currency), `a wallet has the invalid currency ${JSON.stringify(currency)}`);
    expectThat(isFigure(balance), `the balance of ${currency} is ${JSON.stringify(balance)}, not an amount`);
  }
  const wallet = balances.find(({ currency }) => currency === plan.from);
  return pass(wallet === undefined ? `no ${plan.from} wallet` : `${wallet.balance} ${plan.from}`);
}

async function checkQuote(context: SmokeContext): Promise<StepResult> {
  const { client, plan, signal } = context;
  const { from: from_currency, to: to_currency, amount } = plan;
  const quote = await client.quotes.create({ from_currency, to_currency, amount }, { signal });
  expectThat(isSameAmount(quote.send_amount, amount), `send_amount is ${quote.send_amount}, not ${amount}`);
  expectThat(isFigure(quote.fee), `fee is ${quote.fee}`);
  expectThat(isPositive(quote.rate), `rate is ${quote.rate}`);
  if (isSwallowed(quote)) {
    throw new UsageError(
      `${amount} ${from_currency} is too small: the fee is ${quote.fee} and the rate ${quote.rate}, so receive_amount is 0. Raise --amount.`,
    );
  }
  expectThat(isPositive(quote.receive_amount), `receive_amount is ${quote.receive_amount}`);
  context.quote = quote;
  return pass(`${quote.receive_amount} ${to_currency} for ${amount} ${from_currency}, rate ${quote.rate}`);
}

async function checkCreate(context: SmokeContext): Promise<StepResult> {
  const { client, plan, mode, signal } = context;
  const { from: from_currency, to: to_currency, amount, purpose } = plan;
  const payment = await client.payments.create(
    {
      from_currency,
      to_currency,
      amount,
      purpose,
      beneficiary_name: plan.name,
      beneficiary_account: plan.account,
    },
    { signal },
  );
  context.payment = payment;
  context.createdAt = context.clock.now();
  expectThat(payment.id.startsWith(`pay_${mode}_`), `the id ${payment.id} is not a ${mode} mode id`);
  expectThat(payment.status === 'pending', `the status of a new payment is ${payment.status}, not pending`);
  expectThat(
    isSameAmount(payment.send_amount, amount),
    `send_amount is ${payment.send_amount}, not ${amount}`,
  );
  expectThat(isPositive(payment.receive_amount), `receive_amount is ${payment.receive_amount}`);
  return pass(payment.id);
}

const fixedFields = ['id', 'from_currency', 'to_currency', 'send_amount', 'rate', 'receive_amount'] as const;

async function checkRetrieve(context: SmokeContext): Promise<StepResult> {
  const created = requirePayment(context);
  const { createdAt = context.clock.now() } = context;
  const { payment: found, lag } = await readBack(created.id, { ...context, createdAt });
  for (const field of fixedFields) {
    expectThat(found[field] === created[field], `${field} changed from ${created[field]} to ${found[field]}`);
  }
  const lagDetail = lag === 0 ? '' : `; read lag ${formatSeconds(lag)}`;
  return pass(`same amounts and rate, ${found.status}${lagDetail}`);
}

async function checkWait(context: SmokeContext): Promise<StepResult> {
  const { client, timeout, readLag, signal } = context;
  const statuses: string[] = [];
  const onStatus = ({ status }: Payment): void => void statuses.push(status);
  const waiting = client.payments.waitFor(requirePayment(context).id, { timeout, readLag, signal, onStatus });
  context.payment = await waiting.catch((error: unknown) => {
    throw toDiscrepancy(error, readLag);
  });
  return pass(statuses.join(', '));
}

async function checkOwnTransaction(context: SmokeContext): Promise<StepResult> {
  const { client, plan, signal } = context;
  return checkTransactions({ client, payment: requirePayment(context), purpose: plan.purpose, signal });
}

async function checkWrongKey({ unknownKeyClient, signal }: SmokeContext): Promise<StepResult> {
  const call = unknownKeyClient.balance.retrieve({ signal });
  return expectError(call, { status: 401, type: 'authentication_error' });
}

/** Sends an invalid amount without the checks of the SDK. A quote, because it can never create a payment. */
async function checkBadAmount({ client, plan, signal }: SmokeContext): Promise<StepResult> {
  const body = { from_currency: plan.from, to_currency: plan.to, amount: 0 };
  const { response, error } = await createApi(client).POST('/quotes', { body, signal });
  const { status } = response;
  if (status >= 500) {
    throw new ServerError(`The service responded with status ${status}.`, { status, outcome: 'unknown' });
  }
  return checkError({ status, type: error?.error?.type }, { status: 422, type: 'validation_error' });
}

async function checkUnknownPayment({ client, mode, signal }: SmokeContext): Promise<StepResult> {
  const id = `pay_${mode}_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
  return expectError(client.payments.retrieve(id, { signal }), { status: 404, type: 'not_found' });
}

interface ExpectedError {
  readonly status: number | undefined;
  readonly type: string | undefined;
}

async function expectError(call: Promise<unknown>, expected: ExpectedError): Promise<StepResult> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.outcome !== 'rejected') throw error;
    return checkError(error, expected);
  }
  throw new Discrepancy(`the request succeeded; expected status ${expected.status}`);
}

/**
 * Checks the status of an error, and its type if the response has one (docs/contract.md#profile-settings).
 */
function checkError({ status, type }: ExpectedError, expected: ExpectedError): StepResult {
  const isExpected = status === expected.status && (type ?? expected.type) === expected.type;
  const actual = `${status} ${type ?? 'without a type'}`;
  expectThat(isExpected, `the response is ${actual}, not ${expected.status} ${expected.type}`);
  return pass(`rejected with ${actual}`);
}

function requirePayment({ payment }: Pick<SmokeContext, 'payment'>): Payment {
  expectThat(payment !== undefined, 'no payment was created');
  return payment;
}
