// Faults of a service and its network, as bytes on sockets, and what each of them is for the client. Runs in every runtime, except
// for the functions that respond.
import type { Socket } from 'node:net';
import type { Client } from '@service/sdk';

/** Responds to a request. `good` is the body of a correct response. */
export type FaultyResponder = (socket: Socket, good: string) => unknown;

const id = 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s';
const payment = {
  id,
  status: 'pending',
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 100,
  rate: 0.9213,
  receive_amount: 91.67,
  beneficiary: { name: 'Acme Ltd', bank: null, account: null, country: null },
  purpose: 'INV-42',
  created_at: '2026-01-31T12:00:00+00:00',
};
const quote = { send_amount: 100, fee: 0.5, rate: 0.9213, receive_amount: 91.67 };
const pagination = { current_page: 1, per_page: 20, total: 0, total_pages: 0, has_more: false };
const responseData: [RegExp, unknown][] = [
  [/^POST .*\/api\/v1\/quotes /, quote],
  [/^POST .*\/api\/v1\/payments /, payment],
  [/^GET .*\/api\/v1\/payments\//, payment],
  [/^GET .*\/api\/v1\/balance /, { balances: [] }],
  [/^GET .*\/api\/v1\/transactions/, { transactions: [], pagination }],
];

export const paymentId: string = id;

/** Returns the body of a correct response to a request line. */
export function createGoodBody(line: string): string {
  const data = responseData.find(([pattern]) => pattern.test(line))?.[1];
  return JSON.stringify({ success: true, mode: 'test', data });
}

/** Returns the bytes of a complete response with `Connection: close`. */
export function toBytes(status: string, body: string, headers: readonly string[] = []): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return [`HTTP/1.1 ${status}`, length, 'Connection: close', ...headers, '', body].join('\r\n');
}

/** Long enough for a busy machine to connect and send. */
export const TIMEOUT = 1_000;

export const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00' };
export const operations: Record<string, (client: Client) => Promise<unknown>> = {
  'quotes.create': ({ quotes }) => quotes.create(exchange),
  'payments.create': ({ payments }) =>
    payments.create({ ...exchange, beneficiary_name: 'Acme Ltd', purpose: 'INV-42' }),
  'payments.retrieve': ({ payments }) => payments.retrieve(paymentId),
  'balance.retrieve': ({ balance }) => balance.retrieve(),
  'transactions.list': ({ transactions }) => transactions.list(),
};

export interface Fault {
  readonly title: string;
  readonly respond: FaultyResponder;
  /** The class of the error, or of the cause of an unknown outcome. */
  readonly error: string;
  /** The outcome of a create. */
  readonly outcome?: 'rejected' | 'unknown';
  /** Other facts of the error of a create with an unknown outcome. */
  readonly facts?: object;
  /** Whether reads and creates are retried. */
  readonly isRetried: readonly [reads: boolean, creates: boolean];
  /** Whether every request times out. */
  readonly isTimeout?: boolean;
  /** Whether the `fetch` of Node, not the client, repeats a read or a quote. */
  readonly isRepeated?: boolean;
}

const never = [false, false] as const;
const reads = [true, false] as const;
const allOperations = [true, true] as const;

const respondWith =
  (status: string, body: string, headers: readonly string[] = []): FaultyResponder =>
  (socket) =>
    socket.end(toBytes(status, body, headers));
export const head = (length: number, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\n\r\n`;
const envelope = (type: string): string =>
  JSON.stringify({ success: false, mode: 'test', error: { type, message: 'The request failed.' } });
const tooMany = (...headers: string[]): FaultyResponder =>
  respondWith('429 Too Many Requests', envelope('rate_limit_error'), headers);
const timedOut = { error: 'TimeoutError', outcome: 'unknown', isRetried: reads, isTimeout: true } as const;
const broken = { error: 'ConnectionError', outcome: 'unknown', isRetried: reads } as const;
const waiting = { phase: 'waiting' };
const responded = { phase: 'responded' };
const read = { phase: 'reading', status: 200, paymentId };
const unreadable = {
  error: 'UnreadableResponseError',
  outcome: 'unknown',
  isRetried: never,
  facts: responded,
} as const;
const limited = { error: 'RateLimitError', outcome: 'rejected', isRetried: allOperations } as const;
const failed = { error: 'ServerError', outcome: 'unknown', isRetried: reads, facts: responded } as const;

export const faults: Fault[] = [
  {
    title: 'a reset before the headers',
    respond: (socket) => socket.resetAndDestroy(),
    ...broken,
    facts: waiting,
  },
  {
    title: 'a connection closed without a response',
    respond: (socket) => socket.end(),
    ...broken,
    facts: waiting,
  },
  {
    title: 'a reset after the headers',
    respond: (socket) => socket.write(head(500), () => setImmediate(() => socket.resetAndDestroy())),
    ...broken,
  },
  {
    title: 'a reset within the body',
    respond: (socket, good) =>
      socket.write(head(good.length) + good.slice(0, 40), () => setImmediate(() => socket.resetAndDestroy())),
    ...broken,
    facts: { phase: 'reading', status: 200 },
  },
  { title: 'no response', respond: () => {}, ...timedOut, facts: waiting },
  {
    title: 'a response after the client has disconnected',
    respond: (socket, good) => socket.on('end', () => socket.end(toBytes('200 OK', good))),
    ...timedOut,
  },
  {
    title: 'a body that stalls',
    respond: (socket, good) => socket.write(head(9_999) + good),
    ...timedOut,
    facts: read,
  },
  {
    title: 'a body sent byte by byte',
    respond: (socket, good) => {
      socket.write(head(good.length));
      let sent = 0;
      const timer = setInterval(() => socket.write(good[sent++] ?? ''), TIMEOUT / 3);
      socket.on('close', () => clearInterval(timer));
    },
    ...timedOut,
  },
  {
    title: 'a body that ends before its length',
    respond: (socket, good) => socket.end(head(9_999) + good),
    ...broken,
    facts: read,
  },
  {
    title: 'truncated JSON',
    respond: (socket, good) => socket.end(toBytes('200 OK', good.slice(0, -1))),
    ...unreadable,
    facts: { phase: 'responded', paymentId, status: 200 },
  },
  {
    title: 'bytes that are not HTTP',
    respond: (socket) => socket.end('hello\r\n\r\n'),
    ...broken,
    facts: waiting,
  },
  {
    title: '1 MB of headers',
    respond: (socket, good) => socket.end(toBytes('200 OK', good, [`X-Long: ${'x'.repeat(1e6)}`])),
    ...broken,
  },
  {
    title: 'an empty 401',
    respond: respondWith('401 Unauthorized', ''),
    error: 'AuthenticationError',
    outcome: 'unknown',
    isRetried: never,
  },
  {
    title: 'a 403 of HTML',
    respond: respondWith('403 Forbidden', '<h1>No</h1>'),
    error: 'PermissionError',
    outcome: 'unknown',
    isRetried: never,
  },
  { title: 'an empty 500', respond: respondWith('500 Internal Server Error', ''), ...failed },
  { title: 'a 502 of HTML', respond: respondWith('502 Bad Gateway', '<h1>Bad</h1>'), ...failed },
  { title: 'an empty 504', respond: respondWith('504 Gateway Timeout', ''), ...failed },
  { title: 'an empty 501', respond: respondWith('501 Not Implemented', ''), ...failed, isRetried: never },
  {
    title: 'a 503 with Retry-After',
    respond: respondWith('503 Service Unavailable', envelope('service_unavailable'), ['Retry-After: 0']),
    ...failed,
  },
  {
    title: 'an empty 408',
    respond: respondWith('408 Request Timeout', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    isRetried: reads,
  },
  {
    title: 'a 409',
    respond: respondWith('409 Conflict', envelope('conflict')),
    error: 'ServiceError',
    outcome: 'unknown',
    isRetried: never,
  },
  {
    title: 'a 421',
    respond: respondWith('421 Misdirected Request', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    isRetried: never,
    isRepeated: true,
  },
  {
    title: 'a 425',
    respond: respondWith('425 Too Early', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    isRetried: never,
  },
  {
    title: 'a 200 of HTML',
    respond: respondWith('200 OK', '<h1>Welcome</h1>'),
    ...unreadable,
    facts: { raw: '<h1>Welcome</h1>', status: 200 },
  },
  {
    title: 'a 204',
    respond: (socket) => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'),
    ...unreadable,
  },
  {
    title: 'a 200 with success false',
    respond: respondWith('200 OK', envelope('odd')),
    ...unreadable,
    facts: { type: 'odd' },
  },
  {
    title: 'a 200 without data',
    respond: respondWith('200 OK', '{"success":true,"mode":"test"}'),
    ...unreadable,
  },
  {
    title: 'a response of the other mode',
    respond: (socket, good) => socket.end(toBytes('200 OK', good.replace('"test"', '"live"'))),
    error: 'ModeMismatchError',
    outcome: 'unknown',
    isRetried: never,
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    title: `a ${status} to another host`,
    respond: respondWith(`${status} Moved`, '', ['Location: http://127.0.0.1:1/api/v1/payments']),
    ...unreadable,
  })),
  {
    title: 'a 422',
    respond: respondWith('422 Unprocessable', envelope('validation_error')),
    error: 'ValidationError',
    outcome: 'rejected',
    isRetried: never,
  },
  { title: 'a 429 without Retry-After', respond: tooMany(), ...limited },
  { title: 'a 429 with Retry-After of 0 s', respond: tooMany('Retry-After: 0'), ...limited },
  { title: 'a 429 with Retry-After of -1', respond: tooMany('Retry-After: -1'), ...limited },
  {
    title: 'a 429 with Retry-After in the past',
    respond: tooMany('Retry-After: Sat, 31 Jan 2026 12:00:00 GMT'),
    ...limited,
  },
  {
    title: 'a 429 with Retry-After of 1e9 s',
    respond: tooMany('Retry-After: 1000000000'),
    ...limited,
    isRetried: never,
  },
  {
    title: 'a 429 of HTML',
    respond: respondWith('429 Too Many Requests', '<html>'),
    error: 'RateLimitError',
    outcome: 'unknown',
    isRetried: reads,
  },
  {
    title: 'an empty 429',
    respond: respondWith('429 Too Many Requests', '', ['Retry-After: 0']),
    error: 'RateLimitError',
    outcome: 'unknown',
    isRetried: reads,
  },
  {
    title: '100 Continue before the response',
    respond: (socket, good) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${toBytes('200 OK', good)}`),
    // The `fetch` of Node rejects a 100 that the request did not expect.
    ...broken,
  },
];
