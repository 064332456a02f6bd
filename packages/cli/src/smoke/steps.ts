import {
  type Client,
  isServiceError,
  type Mode,
  type Payment,
  type Quote,
  ServerError,
  type Transaction,
} from '@service/sdk';
import type { Clock } from '../clock.ts';
import { UsageError } from '../usage-error.ts';
import { isFigure, isPositive, isSameAmount, isSwallowed } from './figures.ts';
import { formatSeconds, readBack, toDiscrepancy } from './read-back.ts';
import { demand, Discrepancy, pass, skip, type Verdict, warn } from './verdict.ts';

/** Says what the payment of a smoke test is. */
export type Plan = {
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly name: string;
  readonly account?: string | undefined;
  readonly purpose: string;
};

/** Holds what the steps work with; a quote without fault and a payment that was created are there for those that follow. */
export type Bench = {
  readonly client: Client;
  /** Calls with a key that is nobody's. */
  readonly stranger: Client;
  readonly mode: Mode;
  readonly plan: Plan;
  /** Limits the wait for a final status, in milliseconds. */
  readonly timeout: number;
  /** Maximum time for which reads may not show the payment after its create, in milliseconds. */
  readonly readLag: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  quote?: Quote;
  payment?: Payment;
  /** Time at which the create was answered, by the clock. */
  createdAt?: number;
};

/** Is one check of the service. */
export type Step = {
  readonly name: string;
  /** Names what an earlier step must have left, for this one to make sense. */
  readonly needs?: 'quote' | 'payment';
  readonly check: (bench: Bench) => Promise<Verdict>;
};

/** Lists the checks in their order; the first one must pass for the others to make sense. */
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

async function checkKey({ client, mode, signal }: Bench): Promise<Verdict> {
  const answered = await client.balance.retrieve({ signal }).withResponse();
  demand(
    answered.mode === mode,
    `the key is of ${mode} mode, and the answer names ${answered.mode ?? 'none'}`,
  );
  return pass(`accepted, mode ${mode}`);
}

async function checkBalance({ client, plan, signal }: Bench): Promise<Verdict> {
  const { balances } = await client.balance.retrieve({ signal });
  for (const { currency, balance } of balances) {
    demand(/^[A-Z]{3}$/.test(currency), `a wallet has the currency ${JSON.stringify(currency)}`);
    demand(isFigure(balance), `the wallet of ${currency} holds ${JSON.stringify(balance)}`);
  }
  const wallet = balances.find(({ currency }) => currency === plan.from);
  return pass(wallet === undefined ? `no wallet of ${plan.from}` : `${wallet.balance} ${plan.from}`);
}

async function checkQuote(bench: Bench): Promise<Verdict> {
  const { client, plan, signal } = bench;
  const { from: from_currency, to: to_currency, amount } = plan;
  const quote = await client.quotes.create({ from_currency, to_currency, amount }, { signal });
  demand(isSameAmount(quote.send_amount, amount), `send_amount is ${quote.send_amount}, not ${amount}`);
  demand(isFigure(quote.fee), `fee is ${quote.fee}`);
  demand(isPositive(quote.rate), `rate is ${quote.rate}`);
  if (isSwallowed(quote)) {
    throw new UsageError(
      `Nothing of ${amount} ${from_currency} would arrive: the fee is ${quote.fee}, the rate ${quote.rate}. Try a larger --amount.`,
    );
  }
  demand(isPositive(quote.receive_amount), `receive_amount is ${quote.receive_amount}`);
  bench.quote = quote;
  return pass(`${quote.receive_amount} ${to_currency} for ${amount} ${from_currency}, rate ${quote.rate}`);
}

async function checkCreate(bench: Bench): Promise<Verdict> {
  const { client, plan, mode, signal } = bench;
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
  bench.payment = payment;
  bench.createdAt = bench.clock.now();
  demand(payment.id.startsWith(`pay_${mode}_`), `the id ${payment.id} is not of ${mode} mode`);
  demand(payment.status === 'pending', `a new payment is ${payment.status}, not pending`);
  demand(isSameAmount(payment.send_amount, amount), `send_amount is ${payment.send_amount}, not ${amount}`);
  demand(isPositive(payment.receive_amount), `receive_amount is ${payment.receive_amount}`);
  return pass(payment.id);
}

const lasting = ['id', 'from_currency', 'to_currency', 'send_amount', 'rate', 'receive_amount'] as const;

async function checkRetrieve(bench: Bench): Promise<Verdict> {
  const created = paymentOf(bench);
  const { createdAt = bench.clock.now() } = bench;
  const { payment: found, lag } = await readBack(created.id, { ...bench, createdAt });
  for (const field of lasting) {
    demand(found[field] === created[field], `${field} was ${created[field]} and is now ${found[field]}`);
  }
  const lagDetail = lag === 0 ? '' : `; read lag ${formatSeconds(lag)}`;
  return pass(`same figures, ${found.status}${lagDetail}`);
}

async function checkWait(bench: Bench): Promise<Verdict> {
  const { client, timeout, readLag, signal } = bench;
  const seen: string[] = [];
  const onStatus = ({ status }: Payment): void => void seen.push(status);
  const waiting = client.payments.waitFor(paymentOf(bench).id, { timeout, readLag, signal, onStatus });
  bench.payment = await waiting.catch((error: unknown) => {
    throw toDiscrepancy(error, readLag);
  });
  return pass(seen.join(', '));
}

/** Bounds the search: the payment is new and the list begins with what is newest. */
const mostRows = 500;

/** Looks for the record of the payment, and for the id in it by which `payment reconcile` finds a lost payment. */
async function checkTransactions({ client, plan, signal, ...bench }: Bench): Promise<Verdict> {
  const payment = paymentOf(bench);
  const list = client.transactions.list({ per_page: 100 }, { signal });
  const { warnings } = await list.withResponse();
  const rows: Transaction[] = [];
  for await (const row of list) {
    if (JSON.stringify(row).includes(payment.id)) return pass(row.id ?? payment.id);
    if (row.reference === plan.purpose) return warn('the record of the payment does not name its id');
    rows.push(row);
    if (rows.length >= mostRows) break;
  }
  const unreadable = warnings.find(({ code }) => code === 'unreadable_row');
  if (unreadable) return warn(unreadable.message.replace(/\.$/, ''));
  const isNaming = rows.some((row) => row.payment_id !== undefined || row.reference !== undefined);
  if (payment.status !== 'completed')
    return skip(`cannot tell: a payment that is ${payment.status} need not have a record`);
  if (rows.length > 0 && !isNaming) return warn('the records name neither payment nor purpose');
  throw new Discrepancy(`the payment is completed and not among ${rows.length} records`);
}

async function checkWrongKey({ stranger, signal }: Bench): Promise<Verdict> {
  const call = stranger.balance.retrieve({ signal });
  return expectRefusal(call, { status: 401, type: 'authentication_error' });
}

/** Asks past the checks of the SDK, which would not send it; a quote, so that no mistake can pay anything. */
async function checkBadAmount({ client, plan, signal }: Bench): Promise<Verdict> {
  const body = { from_currency: plan.from, to_currency: plan.to, amount: 0 };
  const { response, error } = await client.api.POST('/quotes', { body, signal });
  const { status } = response;
  if (status >= 500) {
    throw new ServerError(`The service answered with status ${status}.`, { status, outcome: 'unknown' });
  }
  return judge({ status, type: error?.error?.type }, { status: 422, type: 'validation_error' });
}

async function checkUnknownPayment({ client, mode, signal }: Bench): Promise<Verdict> {
  const id = `pay_${mode}_${crypto.randomUUID().replaceAll('-', '')}`;
  return expectRefusal(client.payments.retrieve(id, { signal }), { status: 404, type: 'not_found' });
}

type Refusal = { readonly status: number | undefined; readonly type: string | undefined };

async function expectRefusal(call: Promise<unknown>, expected: Refusal): Promise<Verdict> {
  try {
    await call;
  } catch (error) {
    if (!isServiceError(error) || error.outcome !== 'rejected') throw error;
    return judge(error, expected);
  }
  throw new Discrepancy(`it was accepted, not refused with ${expected.status}`);
}

/** Judges a refusal by its status, and by its type where the answer has one (contract.md 8). */
function judge({ status, type }: Refusal, expected: Refusal): Verdict {
  const isExpected = status === expected.status && (type ?? expected.type) === expected.type;
  const actual = `${status} ${type ?? 'without a type'}`;
  demand(isExpected, `the answer is ${actual}, not ${expected.status} ${expected.type}`);
  return pass(`refused with ${actual}`);
}

function paymentOf({ payment }: Pick<Bench, 'payment'>): Payment {
  demand(payment !== undefined, 'there is no payment');
  return payment;
}
