// What a list of calls and webhooks shows: the material of the questions.
import { type JsonObject, toMicro, type Micro } from '@service/internal';
import { type Call, modeOf, PLAIN, type Quoted, readQuote } from './call.ts';

/** Computes a value of what was seen once. */
export { memoize as perSeen } from '@service/internal';

/** The statuses of the document, in their order. */
export const documented: readonly string[] = ['pending', 'processing', 'completed', 'failed'];

/** What the caller knows about a service besides its responses. */
export interface Facts {
  /** The currencies of most requests. */
  readonly from: string;
  readonly to: string;
  /** The accounts whose payments do not complete. */
  readonly failing?: readonly string[] | undefined;
}

/** A webhook that the receiver got, in the order of arrival. */
export interface Delivery {
  readonly id: string;
  /** The status in the event; the payment may have another one meanwhile. */
  readonly status: string;
  readonly body: JsonObject;
  /** The time of its arrival, in milliseconds. */
  readonly at: number;
  /** Whether the receiver refused it, so that it is sent again. */
  readonly isRefused: boolean;
}

/** A status of a payment, and the time within which reads began to show it. */
export interface StatusChange {
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

/** A payment that was created. */
export interface Payment {
  readonly id: string;
  readonly create: Call;
  readonly account: string | undefined;
  readonly currency: string;
  readonly send: Micro;
  /** The reads of the payment, in their order. */
  readonly reads: readonly Call[];
  /** The statuses that reads showed, in their order. The first one begins with the first read that knew the payment. */
  readonly changes: readonly StatusChange[];
  readonly statuses: readonly string[];
  /** The end of the last read. */
  readonly watchedUntil: number;
  readonly deliveries: readonly Delivery[];
}

/** A quote with the amount that is exchanged: without the fee if that is taken out of it. */
export interface PricedQuote extends Quoted {
  readonly net: Micro;
}

/** Everything that a run or a recording saw. */
export interface Seen {
  readonly facts: Facts;
  /** All calls but those that the rate limit refused, in their order. */
  readonly calls: readonly Call[];
  readonly limited: readonly Call[];
  /** Returns the calls with a label. */
  readonly of: (label: string) => readonly Call[];
  readonly quotes: readonly PricedQuote[];
  /** The successful reads of the balance and of the list. */
  readonly balances: readonly Call[];
  readonly lists: readonly Call[];
  /** The creates, without repeated ones. */
  readonly payments: readonly Payment[];
  readonly deliveries: readonly Delivery[];
  /** The end of the last call. */
  readonly until: number;
}

/** Sorts calls. */
export function see(all: readonly Call[], deliveries: readonly Delivery[], facts: Facts): Seen {
  const answered = all.toSorted((a, b) => a.start - b.start).map((call, order) => ({ ...call, order }));
  const calls = answered.filter(({ response }) => response.status !== 429);
  const accepted = (operation: Call['operation']): Call[] =>
    calls.filter((call) => call.operation === operation && call.response.accepted);
  const quotes = accepted('createQuote').flatMap((call) => readQuote(call) ?? []);
  const isOnTop = quotes.map(modeOf).find((mode) => mode !== undefined) === 'onTop';
  const reads = calls.filter(({ operation }) => operation === 'getPayment');
  const payments = new Map<string, Payment>();
  for (const create of accepted('createPayment')) {
    const { id } = create.response.data;
    if (typeof id !== 'string' || payments.has(id)) continue;
    const own = reads.filter(({ path, order }) => path === `/payments/${id}` && order > create.order);
    payments.set(id, toPayment(id, create, own, deliveries));
  }
  return {
    facts,
    calls,
    limited: answered.filter(({ response }) => response.status === 429),
    of: (label) => calls.filter((call) => call.label === label),
    quotes: quotes.map((one) => ({ ...one, net: isOnTop ? one.send : one.send - one.fee })),
    balances: accepted('getBalance').filter(({ label }) => label === PLAIN),
    lists: accepted('listTransactions').filter(({ label }) => label === PLAIN),
    payments: [...payments.values()],
    deliveries,
    until: Math.max(0, ...calls.map(({ end }) => end)),
  };
}

function toPayment(id: string, create: Call, reads: readonly Call[], all: readonly Delivery[]): Payment {
  const changes: StatusChange[] = [];
  let before = create.start;
  for (const { response, start, end } of reads) {
    const { status } = response.accepted ? response.data : {};
    const isAtOnce = changes.length === 0 && before === create.start;
    if (typeof status === 'string' && status !== changes.at(-1)?.status)
      changes.push({ status, from: before, to: isAtOnce ? create.end : end });
    before = start;
  }
  const { beneficiary_account: account, from_currency, amount } = create.sent;
  return {
    id,
    create,
    account: typeof account === 'string' ? account : undefined,
    currency: String(create.response.data.from_currency ?? from_currency),
    send: toMicro(create.response.data.send_amount) ?? toMicro(amount) ?? 0n,
    reads,
    changes,
    statuses: changes.map(({ status }) => status),
    watchedUntil: reads.at(-1)?.end ?? create.end,
    deliveries: all.filter((one) => one.id === id),
  };
}
