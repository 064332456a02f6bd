// The client with faults of the service and the network: every fault, for every operation, with and without retries. The
// server counts complete requests.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createClient, type ServiceError } from '@service/sdk';
import { startFaultServer } from './fault-server.ts';
import { exchange, faults, head, operations, paymentId, TIMEOUT, toBytes } from './faults.ts';

const key = 'service_test_4f9c1d2e3b';
/** Without retries, all reads are alike. */
const calls = [
  ...Object.keys(operations).map((operation) => ({ operation, maxRetries: 2 })),
  ...['payments.create', 'balance.retrieve'].map((operation) => ({ operation, maxRetries: 0 })),
];
const cases = faults.flatMap((fault) => calls.map((call) => ({ ...fault, ...call })));

const rejection = async (call: Promise<unknown>): Promise<ServiceError | undefined> =>
  call.then(
    () => undefined,
    (error: ServiceError) => error,
  );

describe('the client over raw sockets', () => {
  it.concurrent.each(cases)(
    'handles $title in $operation with maxRetries $maxRetries',
    async ({ respond, error, outcome, facts, isRetried, isTimeout, isRepeated, operation, maxRetries }) => {
      await using server = await startFaultServer(respond);
      const client = createClient({
        apiKey: key,
        baseUrl: server.baseUrl,
        timeout: isTimeout ? TIMEOUT : 60_000,
        maxRetries,
      });
      const isCreate = operation === 'payments.create';
      const requests = isRetried[isCreate ? 1 : 0] ? maxRetries + 1 : 1;
      const start = performance.now();
      const result = await rejection(operations[operation]!(client));
      const elapsed = performance.now() - start;

      expect(server.lines).toHaveLength(requests + (isRepeated && !isCreate ? 1 : 0));
      expect(server.lines.filter((line) => line.startsWith('POST /api/v1/payments '))).toHaveLength(
        isCreate ? requests : 0,
      );
      expect(elapsed).toBeGreaterThan(isTimeout ? requests * TIMEOUT * 0.9 : 0);
      expect(inspect(result, { depth: 9, showHidden: true })).not.toContain(key);
      const isLost = isCreate && outcome === 'unknown';
      expect(result).toMatchObject({
        name: isLost ? 'PaymentOutcomeUnknownError' : error,
        ...(isCreate && { outcome }),
        attempts: requests,
        ...(isLost && { cause: { name: error }, ...facts }),
      });
    },
  );

  it('sends a create once if the server is back before a retry', async () => {
    const stopped = await startFaultServer(() => {});
    const port = Number(new URL(stopped.baseUrl).port);
    await stopped[Symbol.asyncDispose]();
    expect(port).toBeGreaterThan(0);
    let server: Awaited<ReturnType<typeof startFaultServer>> | undefined;
    const client = createClient({
      apiKey: key,
      baseUrl: stopped.baseUrl,
      onRequest: async ({ attempt }) => {
        if (attempt === 2)
          server = await startFaultServer((socket, good) => socket.end(toBytes('201 Created', good)));
      },
      fetch: (url, init) =>
        globalThis.fetch(server === undefined ? url : url.replace(stopped.baseUrl, server.baseUrl), init),
    });
    expect(await operations['payments.create']!(client)).toMatchObject({ id: paymentId });
    expect(server?.lines).toEqual(['POST /api/v1/payments HTTP/1.1']);
    await server?.[Symbol.asyncDispose]();
  });

  it('closes the socket when a call is aborted within the body', async () => {
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
});
