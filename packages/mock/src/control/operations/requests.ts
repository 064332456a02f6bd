import type { Mode, OperationId } from '@service/contract';
import type * as z from 'zod/mini';
import type { LoggedRequest } from '../../state/logged-request.ts';
import type { RequestLog } from '../../state/request-log.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { createFindEffects } from '../effects.ts';
import { time } from '../../domain/time.ts';
import { anyAccount, mode, operationId } from '../fields.ts';
import { type AccountRef, findAccountId } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';
import { type RequestView, toRequestView } from '../request-view.ts';
import { optional, text, whole } from '../../domain/schema.ts';
import { waitFor, type WaitTimeoutOptions } from '../wait.ts';

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
  operation: optional(operationId),
  status: optional(whole(200, 599)),
  method: optional(text("a method such as 'POST'", { minLength: 1, examples: ['POST'] })),
  since: optional(time),
};
type Filter = z.output<z.ZodMiniObject<typeof filterFields>>;

/** Operations on the request log. */
export const requests: Operations<Omit<RequestLogControl, 'dropped'>> = {
  list: operation({
    id: 'listRequests',
    method: 'GET',
    path: '/requests',
    example: { operation: 'createPayment' },
    input: filterFields,
    run({ state, requestLog }, filter): readonly RequestView[] {
      requireOn(requestLog);
      const account = findAccountId(state, filter.account);
      return toViews(requestLog.list().filter((record) => isMatch(record, { ...filter, account })));
    },
    toBody: (list, { requestLog }) => ({ requests: list, dropped: requestLog.dropped() }),
  }),
  waitFor: operation({
    id: 'waitForRequests',
    method: 'GET',
    path: '/requests/wait',
    cli: { command: 'requests wait' },
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
    toBody: (list) => ({ requests: list }),
  }),
  clear: operation({
    id: 'clearRequests',
    method: 'DELETE',
    path: '/requests',
    input: { account: anyAccount },
    args: ['account'],
    run: ({ state, requestLog }, { account }) => requestLog.clear(findAccountId(state, account)),
  }),
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
