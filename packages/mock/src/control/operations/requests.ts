import { clearTimeout, createDeferred, memoize, parseJson, redactKeys, setTimeout } from '@service/internal';
import { anyAccount, mode, operationId } from '../fields.ts';
import { type AccountRef, findAccountId } from '../locate.ts';
import { type Context, operation, type Operations } from '../operation.ts';
import { page, type PageOptions, takePage } from '../page.ts';
import type { Delivery } from '../../domain/delivery.ts';
import type { Fault } from '../../domain/fault.ts';
import { type Entry, paymentEntries } from '../../domain/ledger.ts';
import { toAmount } from '../../domain/json.ts';
import { type Status, writeEvent } from '../../domain/payment.ts';
import * as s from '../../domain/schema.ts';
import type { AccountState } from '../../state/state.ts';
import { isDegraded, type LoggedRequest, type LoggedResponse } from '../../state/request-log.ts';
import { SandboxError } from '../../state/sandbox-error.ts';

/** A ledger entry. Its postings add up to 0 in every currency. */
export interface EntryView {
  /** The reason for the entry: a create debits (`payment`), a completion pays out, a failure refunds. */
  readonly kind: 'deposit' | 'adjustment' | 'payment' | 'completion' | 'refund' | 'return';
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** Amounts are signed decimal text. */
  readonly postings: readonly {
    /** The ledger account, such as `'wallet'` or `'fees'`. */
    readonly account: 'wallet' | 'in_flight' | 'fees' | 'fx' | 'paid_out' | 'funding' | 'adjustments';
    /** The ISO 4217 code, such as `'USD'`. */
    readonly currency: string;
    /** Signed decimal text; negative for a debit. */
    readonly amount: string;
  }[];
}

/** An event, with or without an endpoint to send it to. */
export interface EventView {
  /** The name of the event, such as `'payment.completed'`. */
  readonly event: `payment.${Status}`;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** The text that is signed and sent. */
  readonly body: string;
}

/** The effects of a request so far. Empty unless the request created a payment. */
export interface Effects {
  /** The id of the created payment (`pay_test_…`), or null. */
  readonly payment_id: string | null;
  /** The ledger entries of the payment, oldest first. */
  readonly entries: readonly EntryView[];
  /** The events of the payment, oldest first. */
  readonly events: readonly EventView[];
  /** The webhook deliveries of the payment; empty without an endpoint. */
  readonly deliveries: readonly Delivery[];
}

/** Returns the effects of the payment that a request created. */
export type FindEffects = (accountState: AccountState | null, payment_id: string | null) => Effects;

const noEffects: Effects = { payment_id: null, entries: [], events: [], deliveries: [] };

/** Creates a lookup of effects. It indexes the deliveries of each account once. */
export function createFindEffects(): FindEffects {
  const indexOf = memoize(indexDeliveries);
  return (accountState, payment_id) => {
    const payment = accountState?.payments.get(payment_id ?? '');
    if (accountState === null || payment === undefined) return noEffects;
    const deliveries = indexOf(accountState).get(payment.id) ?? [];
    return {
      payment_id,
      entries: paymentEntries(payment).map(toEntryView),
      events: (Object.entries(payment.history) as [Status, number][]).map(([status, at]) => {
        // The profile can be another one since the event was sent.
        const sent = deliveries.find((each) => each.status === status)?.body;
        const body = sent ?? writeEvent(payment, status, accountState.profile);
        return { event: `payment.${status}`, at: new Date(at).toISOString(), body };
      }),
      deliveries: deliveries.map(redactDelivery),
    };
  };
}

function indexDeliveries({ deliveries }: AccountState): ReadonlyMap<string, readonly Delivery[]> {
  const index = new Map<string, Delivery[]>();
  for (const each of deliveries.values())
    index.set(each.payment_id, [...(index.get(each.payment_id) ?? []), each]);
  return index;
}

function toEntryView({ kind, at, postings }: Entry): EntryView {
  return {
    kind,
    at: new Date(at).toISOString(),
    postings: postings.map(({ account, currency, amount }) => ({
      account,
      currency,
      amount: toAmount(amount).toString(),
    })),
  };
}

function redactDelivery(delivery: Delivery): Delivery {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, url: redactKeys(attempt.url) }));
  return { ...delivery, attempts };
}

/** The response before damage by a fault. */
export interface ResponseView {
  /** The HTTP status. */
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, or null without one. */
  readonly body: string | null;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The fault that fired at a request. */
export interface FiredFault {
  /** The id (`flt_…`) of its handle and in `faults.list()`. */
  readonly id: string;
  /** The effect on the request, such as `'latency'`. */
  readonly kind: Fault['kind'];
  /** Whether the transport could not reproduce the fault exactly. */
  readonly degraded: boolean;
}

/** A request to the service with its response and effects. API keys are redacted. */
export interface RequestView {
  /** The `X-Request-Id` of its response. */
  readonly id: string;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  /** How the request reached the sandbox: an injected `fetch`, MSW, or a socket. */
  readonly transport: 'fetch' | 'msw' | 'http';
  /** The id of the account of the API key, or null. */
  readonly account: string | null;
  /** The mode of the API key, or null without a valid key. */
  readonly mode: 'test' | 'live' | null;
  /** The operation of its method and path, or null. */
  readonly operation:
    'createQuote' | 'createPayment' | 'getPayment' | 'getBalance' | 'listTransactions' | null;
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The path of the URL without the query. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  /**
   * By lower-case name; `authorization`, `x-api-key`, `cookie` and `proxy-authorization` are `'[redacted]'`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; null for a request without one and for a body that the service did not read. */
  readonly body: string | null;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
  /** Null until the response. */
  readonly response: ResponseView | 'connection_lost' | null;
  /** The injected fault of the request, or null. */
  readonly fault: FiredFault | null;
  /** The effects of the request so far. */
  readonly effects: Effects;
}

/** Converts a logged request to its view. */
export function toRequestView(record: LoggedRequest, findEffects: FindEffects): RequestView {
  const { accountState, fault } = record;
  return {
    id: record.id,
    at: new Date(record.at).toISOString(),
    transport: record.transport,
    account: record.account,
    mode: record.mode,
    operation: record.operation,
    method: redactKeys(record.method),
    path: redactKeys(record.path),
    query: redactKeys(record.search),
    headers: toHeaderRecord(record.headers),
    ...toBodyView(record.body),
    response: toResponseView(record.response),
    fault: fault === null ? null : { ...fault, degraded: isDegraded(record.transport, fault.kind) },
    effects: findEffects(accountState, record.payment_id),
  };
}

function toResponseView(response: LoggedResponse | null): RequestView['response'] {
  if (response === null || response === 'connection_lost') return response;
  const { status, headers, body } = response;
  return { status, headers: toHeaderRecord(Object.entries(headers).flat()), ...toBodyView(body) };
}

/** Converts names and values to lower-case names, with multiple values joined by a comma. Redacts keys and secret headers. */
function toHeaderRecord(headers: readonly string[]): Record<string, string> {
  const merged = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = redactKeys((headers[index] ?? '').toLowerCase());
    const earlier = merged.has(name) ? `${merged.get(name)}, ` : '';
    const value = redactKeys(headers[index + 1] ?? '');
    merged.set(name, secretHeaders.has(name) ? '[redacted]' : earlier + value);
  }
  return Object.fromEntries(merged);
}

function toBodyView(given: string | null): { body: string | null; json: unknown } {
  if (given === null) return { body: null, json: undefined };
  const body = redactKeys(given);
  return { body, json: parseJson(body) };
}

const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key']);

/** A filter of logged requests. A field left out matches any value. */
export interface RequestFilter {
  /** The account of the API key. */
  readonly account?: AccountRef;
  /** The mode of the API key. */
  readonly mode?: 'test' | 'live';
  /** The operation of the method and path, such as `'createPayment'`. */
  readonly operation?: NonNullable<RequestView['operation']>;
  /** The status of the response. */
  readonly status?: number;
}

/** The end of a wait for requests. */
export interface WaitOptions {
  /**
   * The number of requests to wait for, at most 10 000.
   *
   * @default 1
   */
  readonly count?: number;
  /**
   * Maximum waiting time, in real time, at most `'4m'`. The default is shorter than the timeout of test runners, so that a
   * test fails with a useful message.
   *
   * @default 3000
   */
  readonly timeout?: s.Duration;
}

/** The most recent requests to the service, including rejected ones. */
export interface RequestLogControl {
  /**
   * Returns requests, oldest first.
   *
   * @throws {SandboxError} for an invalid filter, and when the request log is off
   */
  readonly list: (filter?: RequestFilter & PageOptions) => readonly RequestView[];
  /**
   * Waits until requests that match the filter have a response, also those before the call, and returns the oldest ones.
   *
   * @throws {SandboxError} with the code `timeout` and the number found
   * @example
   * await mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 2 });
   */
  readonly waitFor: (filter?: RequestFilter & WaitOptions) => Promise<readonly RequestView[]>;
  /** Removes the requests of an account, or all requests. Does not change `dropped`. */
  readonly clear: (account?: AccountRef) => void;
  /** The number of requests that were dropped to stay within the limits. */
  readonly dropped: number;
}

const filterFields = {
  account: anyAccount,
  mode,
  operation: s.optional(operationId),
  status: s.optional(s.whole(200, 599)),
};
type Filter = s.Output<typeof filterFields>;

// `fetch` of Node aborts a request without a response after 5 minutes.
const timeout = s.durationWithin(0, 240_000, "a duration of at most '4m', such as '500ms' or '3s'");
const waitFields = { count: s.optional(s.whole(1, 10_000)), timeout: s.optional(timeout) };

/** Operations on the request log. */
export const requests: Operations<Omit<RequestLogControl, 'dropped'>> = {
  /** @example { operation: 'createPayment' } */
  list: operation('listRequests', 'GET /requests', {
    input: { ...filterFields, ...page },
    run: (context, input) => toViews(takePage(createFind(context, input)(), input)),
    toBody: (list, context, input) => ({
      requests: list,
      total: createFind(context, input)().length,
      dropped: context.requestLog.dropped(),
    }),
  }),
  waitFor: operation('waitForRequests', 'GET /requests/wait', {
    cli: { command: 'requests wait' },
    input: { ...filterFields, ...waitFields },
    isAsync: true,
    run: waitForRequests,
    toBody: (list) => ({ requests: list }),
  }),
  clear: operation('clearRequests', 'DELETE /requests', {
    input: { account: anyAccount },
    run: ({ state, requestLog }, { account }) => requestLog.clear(findAccountId(state, account)),
  }),
};

/** Creates a search for requests. */
function createFind({ state, requestLog }: Context, filter: Filter): () => LoggedRequest[] {
  const message = "The request log is off; create the mock without requestLog: 'off' to read it.";
  if (requestLog.capacity === 0) throw new SandboxError('invalid_state', message);
  findAccountId(state, filter.account);
  return () => requestLog.list().filter((record) => isMatch(record, filter));
}

async function waitForRequests(
  context: Context,
  { count = 1, timeout: limit = 3_000, ...filter }: Filter & s.Output<typeof waitFields>,
): Promise<readonly RequestView[]> {
  const find = createFind(context, filter);
  const expired = createDeferred<'expired'>();
  const timer = setTimeout(() => expired.resolve('expired'), limit);
  try {
    for (;;) {
      const found = find().filter(({ response }) => response !== null);
      if (found.length >= count) return toViews(found.slice(0, count));
      const event = await Promise.race([expired.promise, context.requestLog.answered.wait()]);
      if (event === 'expired') {
        const message = `${found.length} of ${count} requests that match had a response within ${limit} ms.`;
        throw new SandboxError('timeout', message);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function toViews(records: readonly LoggedRequest[]): RequestView[] {
  const findEffects = createFindEffects();
  return records.map((record) => toRequestView(record, findEffects));
}

function isMatch(record: LoggedRequest, { account, mode: asked, operation: id, status }: Filter): boolean {
  return (
    (account === undefined || record.account === account) &&
    (asked === undefined || record.mode === asked) &&
    (id === undefined || record.operation === id) &&
    (status === undefined || statusOf(record) === status)
  );
}

function statusOf({ response }: LoggedRequest): number | undefined {
  return response === null || response === 'connection_lost' ? undefined : response.status;
}
