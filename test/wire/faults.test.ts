// What a client does about a service, or a network, that misbehaves: every fault, for every operation, with and without
// retries. The server counts what reaches it.
import { connect } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Client, createClient, type ServiceError } from '@service/sdk';
import { type Misbehave, paymentId, startFaultServer, toBytes } from './fault-server.ts';

const key = 'service_test_4f9c1d2e3b';
/** Long enough for a busy machine to connect and send. */
const TIMEOUT = 1_000;

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '100.00' };
const operations: Record<string, (client: Client) => Promise<unknown>> = {
  'quotes.create': ({ quotes }) => quotes.create(exchange),
  'payments.create': ({ payments }) =>
    payments.create({ ...exchange, beneficiary_name: 'Acme Ltd', purpose: 'INV-42' }),
  'payments.retrieve': ({ payments }) => payments.retrieve(paymentId),
  'balance.retrieve': ({ balance }) => balance.retrieve(),
  'transactions.list': ({ transactions }) => transactions.list(),
};

type Fault = {
  readonly title: string;
  readonly misbehave: Misbehave;
  /** The class of the error, or of the cause of a create that may have happened. */
  readonly error: string;
  /** What became of a create. */
  readonly outcome?: 'rejected' | 'unknown';
  /** Whether reads are sent again, and whether creates are. */
  readonly again: readonly [reads: boolean, creates: boolean];
  /** How often the timeout runs out for each request that is sent. */
  readonly slow?: boolean;
  /** Whether the `fetch` of Node, and not the client, sends a read or a quote once more. */
  readonly isRepeated?: boolean;
};

const NEVER = [false, false] as const;
const READS = [true, false] as const;
const ALL = [true, true] as const;

const answer =
  (status: string, body: string, headers: readonly string[] = []): Misbehave =>
  (socket) =>
    socket.end(toBytes(status, body, headers));
const head = (length: number, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${length}\r\n\r\n`;
const envelope = (type: string): string =>
  JSON.stringify({ success: false, mode: 'test', error: { type, message: 'It is so.' } });
const tooMany = (...headers: string[]): Misbehave =>
  answer('429 Too Many Requests', envelope('rate_limit_error'), headers);
const stopped = { error: 'TimeoutError', outcome: 'unknown', again: READS, slow: true } as const;
const broken = { error: 'ConnectionError', outcome: 'unknown', again: READS } as const;
const unreadable = { error: 'UnreadableResponseError', outcome: 'unknown', again: NEVER } as const;
const limited = { error: 'RateLimitError', outcome: 'rejected', again: ALL } as const;
const failed = { error: 'ServerError', outcome: 'unknown', again: READS } as const;

const faults: Fault[] = [
  { title: 'a reset before the headers', misbehave: (socket) => socket.resetAndDestroy(), ...broken },
  { title: 'an end without a word', misbehave: (socket) => socket.end(), ...broken },
  {
    title: 'a reset after the headers',
    misbehave: (socket) => socket.write(head(500), () => setImmediate(() => socket.resetAndDestroy())),
    ...broken,
  },
  {
    title: 'a reset in mid-body',
    misbehave: (socket, good) =>
      socket.write(head(good.length) + good.slice(0, 40), () => setImmediate(() => socket.resetAndDestroy())),
    ...broken,
  },
  { title: 'no answer, ever', misbehave: () => {}, ...stopped },
  {
    title: 'an answer after the client has left',
    misbehave: (socket, good) => socket.on('end', () => socket.end(toBytes('200 OK', good))),
    ...stopped,
  },
  { title: 'a body that stalls', misbehave: (socket, good) => socket.write(head(9_999) + good), ...stopped },
  {
    title: 'a slow drip',
    misbehave: (socket, good) => {
      socket.write(head(good.length));
      let sent = 0;
      const timer = setInterval(() => socket.write(good[sent++] ?? ''), TIMEOUT / 3);
      socket.on('close', () => clearInterval(timer));
    },
    ...stopped,
  },
  {
    title: 'a body that ends before its length',
    misbehave: (socket, good) => socket.end(head(9_999) + good),
    ...broken,
  },
  {
    title: 'JSON that breaks off',
    misbehave: (socket, good) => socket.end(toBytes('200 OK', good.slice(0, -1))),
    ...unreadable,
  },
  { title: 'bytes that are not HTTP', misbehave: (socket) => socket.end('hello\r\n\r\n'), ...broken },
  {
    title: '1 MB of headers',
    misbehave: (socket, good) => socket.end(toBytes('200 OK', good, [`X-Long: ${'x'.repeat(1e6)}`])),
    ...broken,
  },
  {
    title: 'an empty 401',
    misbehave: answer('401 Unauthorized', ''),
    error: 'AuthenticationError',
    outcome: 'unknown',
    again: NEVER,
  },
  {
    title: 'a 403 of HTML',
    misbehave: answer('403 Forbidden', '<h1>No</h1>'),
    error: 'PermissionError',
    outcome: 'unknown',
    again: NEVER,
  },
  { title: 'an empty 500', misbehave: answer('500 Internal Server Error', ''), ...failed },
  { title: 'a 502 of HTML', misbehave: answer('502 Bad Gateway', '<h1>Bad</h1>'), ...failed },
  {
    title: 'a 503 that asks to come back',
    misbehave: answer('503 Service Unavailable', envelope('service_unavailable'), ['Retry-After: 0']),
    ...failed,
  },
  {
    title: 'an empty 408',
    misbehave: answer('408 Request Timeout', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    again: READS,
  },
  {
    title: 'a 409',
    misbehave: answer('409 Conflict', envelope('conflict')),
    error: 'ServiceError',
    outcome: 'unknown',
    again: NEVER,
  },
  {
    title: 'a 421',
    misbehave: answer('421 Misdirected Request', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    again: NEVER,
    isRepeated: true,
  },
  {
    title: 'a 425',
    misbehave: answer('425 Too Early', ''),
    error: 'ServiceError',
    outcome: 'unknown',
    again: NEVER,
  },
  { title: 'a 200 of HTML', misbehave: answer('200 OK', '<h1>Welcome</h1>'), ...unreadable },
  {
    title: 'a 204',
    misbehave: (socket) => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'),
    ...unreadable,
  },
  { title: 'a 200 with success false', misbehave: answer('200 OK', envelope('odd')), ...unreadable },
  {
    title: 'a 200 without data',
    misbehave: answer('200 OK', '{"success":true,"mode":"test"}'),
    ...unreadable,
  },
  {
    title: 'the other mode',
    misbehave: (socket, good) => socket.end(toBytes('200 OK', good.replace('"test"', '"live"'))),
    error: 'ModeMismatchError',
    outcome: 'unknown',
    again: NEVER,
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    title: `a ${status} to another host`,
    misbehave: answer(`${status} Moved`, '', ['Location: http://127.0.0.1:1/api/v1/payments']),
    ...unreadable,
  })),
  {
    title: 'a 422',
    misbehave: answer('422 Unprocessable', envelope('validation_error')),
    error: 'ValidationError',
    outcome: 'rejected',
    again: NEVER,
  },
  { title: 'a 429 without Retry-After', misbehave: tooMany(), ...limited },
  { title: 'a 429 with Retry-After of 0 s', misbehave: tooMany('Retry-After: 0'), ...limited },
  { title: 'a 429 with Retry-After of -1', misbehave: tooMany('Retry-After: -1'), ...limited },
  {
    title: 'a 429 with Retry-After in the past',
    misbehave: tooMany('Retry-After: Sat, 31 Jan 2026 12:00:00 GMT'),
    ...limited,
  },
  {
    title: 'a 429 with Retry-After of 1e9 s',
    misbehave: tooMany('Retry-After: 1000000000'),
    ...limited,
    again: NEVER,
  },
  {
    title: 'an empty 429',
    misbehave: answer('429 Too Many Requests', '', ['Retry-After: 0']),
    error: 'RateLimitError',
    outcome: 'unknown',
    again: READS,
  },
  {
    title: '100 Continue before the answer',
    misbehave: (socket, good) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${toBytes('200 OK', good)}`),
    // The `fetch` of Node takes it for a broken answer, as nothing asked for it.
    ...broken,
  },
];

const cases = faults.flatMap((fault) =>
  Object.keys(operations).flatMap((operation) =>
    [0, 2].map((maxRetries) => ({ ...fault, operation, maxRetries })),
  ),
);

const rejection = async (call: Promise<unknown>): Promise<ServiceError | undefined> =>
  call.then(
    () => undefined,
    (error: ServiceError) => error,
  );

describe('on the wire', () => {
  it.concurrent.each(cases)(
    '$operation under $title with maxRetries $maxRetries',
    async ({ misbehave, error, outcome, again, slow, isRepeated, operation, maxRetries }) => {
      await using server = await startFaultServer(misbehave);
      const client = createClient({
        apiKey: key,
        baseUrl: server.baseUrl,
        timeout: slow ? TIMEOUT : 60_000,
        maxRetries,
      });
      const isCreate = operation === 'payments.create';
      const requests = again[isCreate ? 1 : 0] ? maxRetries + 1 : 1;
      const start = performance.now();
      const result = await rejection(operations[operation]!(client));
      const elapsed = performance.now() - start;

      expect(server.lines).toHaveLength(requests + (isRepeated && !isCreate ? 1 : 0));
      expect(server.lines.filter((line) => line.startsWith('POST /api/v1/payments '))).toHaveLength(
        isCreate ? requests : 0,
      );
      expect(elapsed).toBeGreaterThan(slow ? requests * TIMEOUT * 0.9 : 0);
      expect(inspect(result, { depth: 9, showHidden: true })).not.toContain(key);
      const isLost = isCreate && outcome === 'unknown';
      expect(result).toMatchObject({
        name: isLost ? 'PaymentOutcomeUnknownError' : error,
        ...(isCreate && { outcome }),
        attempts: requests,
        ...(isLost && { cause: { name: error } }),
      });
    },
  );

  it('counts at least sixteen faults', () => {
    expect(faults.length).toBeGreaterThanOrEqual(16);
  });

  it.each([0, 2])('a create where nobody listens is not sent, with maxRetries %i', async (maxRetries) => {
    const server = await startFaultServer(() => {});
    const { baseUrl } = server;
    await server[Symbol.asyncDispose]();
    const client = createClient({ apiKey: key, baseUrl, maxRetries });
    // Side by side: the pauses before each next try are real ones.
    const failures = await Promise.all(Object.values(operations).map((call) => rejection(call(client))));
    for (const failure of failures) {
      expect(failure).toMatchObject({
        name: 'ConnectionError',
        outcome: 'not_sent',
        attempts: maxRetries + 1,
      });
    }
  });

  it('a create where somebody listens again in time is made once', async () => {
    const gone = await startFaultServer(() => {});
    const port = Number(new URL(gone.baseUrl).port);
    await gone[Symbol.asyncDispose]();
    expect(port).toBeGreaterThan(0);
    const lines: string[] = [];
    let server: Awaited<ReturnType<typeof startFaultServer>> | undefined;
    const client = createClient({
      apiKey: key,
      baseUrl: gone.baseUrl,
      onRetry: async () => {
        server ??= await startFaultServer((socket, good) => socket.end(toBytes('201 Created', good)));
      },
      fetch: (request) =>
        globalThis.fetch(
          server === undefined
            ? request
            : new Request(request.url.replace(gone.baseUrl, server.baseUrl), request),
        ),
    });
    expect(await operations['payments.create']!(client)).toMatchObject({ id: paymentId });
    lines.push(...(server?.lines ?? []));
    await server?.[Symbol.asyncDispose]();
    expect(lines).toEqual(['POST /api/v1/payments HTTP/1.1']);
  });

  it('Retry-After of a second is never undercut', async () => {
    const times: number[] = [];
    await using server = await startFaultServer((socket, good) => {
      times.push(performance.now());
      socket.end(
        times.length === 1
          ? toBytes('429 Too Many', envelope('rate_limit_error'), ['Retry-After: 1'])
          : toBytes('201 Created', good),
      );
    });
    await operations['payments.create']!(createClient({ apiKey: key, baseUrl: server.baseUrl }));
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_000);
    expect(times).toHaveLength(2);
  });

  it('aborts at once in the body, and the socket is closed', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<void>();
    await using server = await startFaultServer((socket, good) => {
      socket.on('close', () => closed.resolve());
      socket.write(head(9_999) + good, () => setImmediate(() => controller.abort()));
    });
    const client = createClient({ apiKey: key, baseUrl: server.baseUrl });
    const body = { ...exchange, beneficiary_name: 'Acme' };
    expect(await rejection(client.payments.create(body, { signal: controller.signal }))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      cause: { name: 'AbortError' },
      attempts: 1,
    });
    await closed.promise;
    expect(server.lines).toHaveLength(1);
  });

  it('a server of this kind counts what it is sent', async () => {
    await using server = await startFaultServer((socket, good) => socket.end(toBytes('200 OK', good)));
    const { port } = new URL(server.baseUrl);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write('POST /api/v1/payments HTTP/1.1\r\n\r\n'),
      );
      socket.on('data', () => socket.end()).on('close', () => resolve());
    });
    expect(server.lines).toHaveLength(1);
  });
});
