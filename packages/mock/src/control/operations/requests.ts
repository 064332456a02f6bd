import { type Mode, modes, type OperationId } from '@service/contract';
import { faultKinds } from '../../domain/fault.ts';
import { ledgerAccounts } from '../../domain/ledger.ts';
import type { LoggedRequest } from '../../state/logged-request.ts';
import type { RequestLog } from '../../state/request-log.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { createFindEffects, type EntryView, type EventView } from '../effects.ts';
import { time } from '../../domain/time.ts';
import { anyAccount, event, mode, operation } from '../fields.ts';
import { type AccountRef, findAccountId } from '../locate.ts';
import { convertBody, defineOperation, type Group, type Routes, type SandboxParts } from '../operation.ts';
import { type RequestView, toRequestView } from '../request-view.ts';
import {
  anyOf,
  anything,
  boolean,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  recordOf,
  text,
  whole,
} from '../../domain/schema.ts';
import type { Checked, Value } from '../../domain/value.ts';
import { waitFor, type WaitTimeoutOptions } from '../wait.ts';
import { deliveryView } from './webhooks.ts';

/** A filter of logged requests. A field left out matches any value. */
export interface RequestFilter {
  /** The account of the API key. */
  readonly account?: AccountRef;
  /** The mode of the API key. */
  readonly mode?: Mode;
  /** The operation of the method and path, such as `'createPayment'`. */
  readonly operation?: OperationId;
  /** The status of the response. */
  readonly status?: number;
  /** The HTTP method, such as `'POST'`. */
  readonly method?: string;
  /** Sandbox time; includes this instant. */
  readonly since?: Date | string;
}

/** The most recent requests to the service, including rejected ones. */
export interface RequestLogControl {
  /**
   * Returns requests, oldest first.
   *
   * @throws {SandboxError} for an invalid filter, and when the request log is off
   */
  readonly list: (filter?: RequestFilter) => readonly RequestView[];
  /**
   * Waits until `count` requests that match the filter have a response, and returns them.
   *
   * @throws {SandboxError} with the code `timeout` and the number found
   * @example
   * await mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 1 });
   */
  readonly waitFor: (
    filter: RequestFilter & {
      /** The number of requests to wait for, including those before the call. */
      readonly count: number;
    },
    options?: WaitTimeoutOptions,
  ) => Promise<readonly RequestView[]>;
  /** Removes the requests of an account, or all requests. Does not change `dropped`. */
  readonly clear: (account?: AccountRef) => void;
  /** The number of requests that were dropped to stay within the limits. */
  readonly dropped: number;
}

const filterFields = {
  account: anyAccount,
  mode,
  operation: optional(operation),
  status: optional(whole(200, 599)),
  method: optional(text("a method such as 'POST'", { minLength: 1, examples: ['POST'] })),
  since: optional(time),
};
type Filter = Checked<typeof filterFields>;

const headers = recordOf(text());
const body = nullable(text());
const json = optional(anything);

/** The schema of a ledger entry. */
export const entryView: Value<EntryView> = object({
  kind: oneOf(['deposit', 'adjustment', 'payment', 'completion', 'refund', 'return']),
  at: text(),
  postings: listOf(object({ account: oneOf(ledgerAccounts), currency: text(), amount: text() })),
});

/** The schema of an event. */
export const eventView: Value<EventView> = object({
  event,
  at: text(),
  body: text(),
});

/** The schema of a logged request. */
export const requestView: Value<RequestView> = object(
  {
    id: text(),
    at: text(),
    transport: oneOf(['fetch', 'msw', 'http']),
    account: body,
    mode: nullable(oneOf(modes)),
    operation: nullable(operation),
    method: text(),
    path: text(),
    query: text(),
    headers,
    body,
    json,
    response: nullable(anyOf(object({ status: whole(), headers, body, json }), oneOf(['connection_lost']))),
    fault: nullable(object({ id: text(), kind: oneOf(faultKinds), degraded: boolean })),
    effects: object({
      payment_id: body,
      entries: listOf(entryView),
      events: listOf(eventView),
      deliveries: listOf(deliveryView),
    }),
  },
  'RequestView',
);

const requestViews = listOf(requestView);
interface RequestList {
  readonly requests: readonly RequestView[];
}

/** Operations on the request log. */
export const requests: Group<Omit<RequestLogControl, 'dropped'>> = {
  list: defineOperation({
    input: filterFields,
    run({ state, requestLog }, filter): readonly RequestView[] {
      requireOn(requestLog);
      const account = findAccountId(state, filter.account);
      return toViews(requestLog.list().filter((record) => isMatch(record, { ...filter, account })));
    },
  }),
  waitFor: defineOperation({
    input: { ...filterFields, count: whole(1, undefined, { maximum: 10_000, examples: [1] }) },
    isAsync: true,
    isWait: true,
    async run({ state, requestLog }, { count, ...filter }, limits): Promise<readonly RequestView[]> {
      requireOn(requestLog);
      checkCount(count, requestLog.capacity);
      const account = findAccountId(state, filter.account);
      const find = (): LoggedRequest[] =>
        requestLog
          .list()
          .filter((record) => record.response !== null && isMatch(record, { ...filter, account }));
      const found = await waitFor<readonly LoggedRequest[]>(limits, {
        subscribe(resolve) {
          const check = (): void => {
            const matches = find();
            if (matches.length >= count) resolve(matches);
          };
          check();
          return requestLog.watch(check);
        },
        explainTimeout(timeout) {
          const lost = requestLog.dropped() === 0 ? '' : ` Dropped requests: ${requestLog.dropped()}.`;
          return `${find().length} of ${count} requests ${formatFilter(filter)}had a response within ${timeout} ms.${lost}`;
        },
      });
      return toViews(found);
    },
  }),
  clear: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    run: ({ state, requestLog }, { account }) => requestLog.clear(findAccountId(state, account)),
  }),
};

/** The routes of the operations on the request log. */
export const requestRoutes: Routes<Omit<RequestLogControl, 'dropped'>> = {
  list: {
    id: 'listRequests',
    method: 'GET',
    path: '/requests',
    output: convertBody(
      object<RequestList & { readonly dropped: number }>({ requests: requestViews, dropped: whole() }),
      (list: readonly RequestView[], { requestLog }: SandboxParts) => ({
        requests: list,
        dropped: requestLog.dropped(),
      }),
    ),
    example: { operation: 'createPayment' },
  },
  waitFor: {
    id: 'waitForRequests',
    method: 'GET',
    path: '/requests/wait',
    output: convertBody(object<RequestList>({ requests: requestViews }), (list: readonly RequestView[]) => ({
      requests: list,
    })),
    cli: { command: 'requests wait' },
  },
  clear: {
    id: 'clearRequests',
    method: 'DELETE',
    path: '/requests',
  },
};

function toViews(records: readonly LoggedRequest[]): RequestView[] {
  const findEffects = createFindEffects();
  return records.map((record) => toRequestView(record, findEffects));
}

function isMatch(
  record: LoggedRequest,
  { account, mode: asked, operation: id, status, method, since }: Filter,
): boolean {
  return (
    (account === undefined || record.account === account) &&
    (asked === undefined || record.mode === asked) &&
    (id === undefined || record.operation === id) &&
    (status === undefined || statusOf(record) === status) &&
    (method === undefined || record.method === method.toUpperCase()) &&
    (since === undefined || record.at >= since)
  );
}

function formatFilter(filter: Filter): string {
  const asked = Object.entries(filter).map(
    ([name, value]) => `${name} ${name === 'since' ? new Date(Number(value)).toISOString() : value}`,
  );
  return asked.length === 0 ? '' : `with ${asked.join(', ')} `;
}

function statusOf({ response }: LoggedRequest): number | undefined {
  return response === null || response === 'connection_lost' ? undefined : response.status;
}

function requireOn({ capacity }: RequestLog): void {
  if (capacity > 0) return;
  const message = "The request log is off; create the mock without requestLog: 'off' to read it.";
  throw new SandboxError('invalid_state', message);
}

function checkCount(count: number, capacity: number): void {
  if (count <= capacity) return;
  const message = `count must be a whole number from 1 to ${capacity}, the capacity of the request log, not ${count}.`;
  throw new SandboxError('invalid_argument', message);
}
