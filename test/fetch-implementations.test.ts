// The client with each implementation of `fetch`: the outcome of a request that did not arrive, was lost, or completed.
import { createServer } from 'node:net';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { addFetchInstrumentationHandler } from '@sentry/core';
import crossFetch from 'cross-fetch';
import nodeFetch from 'node-fetch';
import nodeFetch2 from 'node-fetch2';
import * as undici from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import {
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
  type PaymentOutcomeUnknownError,
  type ServiceError,
} from '@service/sdk';
import { findClosedPort, listenAtFreePort } from './support/listen.ts';
import { order } from './support/order.ts';

/** A mock and a client of it. */
interface Connection {
  readonly mock: Mock;
  readonly baseUrl: string;
  readonly client: Client;
}

async function connect(fetch: Fetch | undefined, options: ClientOptions = {}): Promise<Connection> {
  const mock = createMock({ clock: 'manual' });
  const { baseUrl, close } = await listen(mock, { port: 0 });
  onTestFinished(close);
  return { mock, baseUrl, client: open({ apiKey: mock.account.testKey, baseUrl, fetch, ...options }) };
}

const open = (options: ClientOptions): Client =>
  createClient({ apiKey: 'service_test_1', maxRetries: 0, onWarning: () => {}, ...options });

async function fail(client: Client): Promise<ServiceError & PaymentOutcomeUnknownError> {
  return client.payments.create(order).then(
    () => expect.unreachable(),
    (error: ServiceError & PaymentOutcomeUnknownError) => error,
  );
}

async function countPayments({ account, baseUrl, fetch }: Mock): Promise<number> {
  const { transactions } = open({ apiKey: account.testKey, baseUrl, fetch });
  let count = 0;
  for await (const _ of transactions.list({ type: 'payment' })) count += 1;
  return count;
}

/** Returns the base URL of a port that nothing listens on. */
const findClosedUrl = async (): Promise<string> => `http://127.0.0.1:${await findClosedPort()}/api/v1`;

/** Replaces the global `fetch` until the end of the test. */
function replaceGlobal(fetch: unknown): undefined {
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  return undefined;
}

const agent = (): undici.Agent => new undici.Agent();

const implementations: readonly [name: string, open: () => Fetch | undefined][] = [
  ['the global fetch', () => undefined],
  ['a wrapper of the global fetch', () => (url, init) => globalThis.fetch(url, init)],
  ['undici 8', () => undici.fetch],
  ['undici 8 with a dispatcher', () => (url, init) => undici.fetch(url, { ...init, dispatcher: agent() })],
  ['node-fetch 3', () => nodeFetch],
  ['node-fetch 2', () => nodeFetch2],
  ['cross-fetch', () => crossFetch],
  ['undici 8 as the global fetch', () => replaceGlobal(undici.fetch)],
  ['node-fetch 3 as the global fetch', () => replaceGlobal(nodeFetch)],
  ['node-fetch 2 as the global fetch', () => replaceGlobal(nodeFetch2)],
  ['cross-fetch as the global fetch', () => replaceGlobal(crossFetch)],
];

describe.each(implementations)('%s', (_, openFetch) => {
  it('reports not_sent if the service cannot be reached', async () => {
    const error = await fail(open({ baseUrl: await findClosedUrl(), fetch: openFetch() }));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
  });

  it('completes creates and reads, and reports a lost response and the error of the service', async () => {
    const { mock, client } = await connect(openFetch());
    const { id } = await client.payments.create({ ...order, beneficiary_name: 'José 株式会社' });
    const { data, requestId, response } = await client.payments.retrieve(id).withResponse();
    expect(data.beneficiary.name).toBe('José 株式会社');
    expect([requestId, response.status]).toEqual([expect.stringMatching(/./), 200]);
    expect((await client.balance.retrieve()).balances.length).toBeGreaterThan(0);
    mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    expect(await fail(client)).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      phase: 'waiting',
    });
    expect(await countPayments(mock)).toBe(2);
    await expect(client.payments.create({ ...order, amount: '99999999.00' })).rejects.toMatchObject({
      name: 'InsufficientFundsError',
      outcome: 'rejected',
    });
  });
});

type GlobalFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Starts a service that carries out the first create, and then ends without a response. Counts its requests. */
async function openDyingService(): Promise<{ readonly baseUrl: string; readonly bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((socket) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      if (Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(head)?.[1])) return;
      bodies.push(body);
      server.close();
      socket.destroy();
    });
    socket.on('error', () => {});
  });
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${await listenAtFreePort(server)}/api/v1`, bodies };
}

/** Sends, and sends again after a failure, when a server that ended its connection has closed its port too. */
const sendTwice = <T>(send: () => Promise<T>, again: () => Promise<T> = send): Promise<T> =>
  send().catch(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return again();
  });

describe('a wrapper of the global fetch that repeats requests', () => {
  const wrappers: readonly [name: string, wrap: (fetch: GlobalFetch) => GlobalFetch][] = [
    [
      'with a clone of a Request',
      () => async (url, init) => {
        const original = new Request(url, init);
        const send = globalFetch as (given: Request) => Promise<Response>;
        return sendTwice(
          () => send(original.clone()),
          () => send(original),
        );
      },
    ],
    [
      'with two branches of the body',
      (fetch) => async (url, init) => {
        const [first, second] = (init.body as ReadableStream).tee();
        return sendTwice(
          () => fetch(url, { ...init, body: first }),
          () => fetch(url, { ...init, body: second }),
        );
      },
    ],
    [
      'with the bytes of the body',
      (fetch) => async (url, init) => {
        const body = await new Response(init.body).arrayBuffer();
        return sendTwice(() => fetch(url, { ...init, body }));
      },
    ],
    [
      'around node-fetch, with the text of the body',
      () => (url, init) => sendTwice(() => nodeFetch(url, init as never) as unknown as Promise<Response>),
    ],
  ];
  const globalFetch = globalThis.fetch;

  it.each(wrappers)('has an unknown outcome, and no second payment: %s', async (_, wrap) => {
    for (const maxRetries of [0, 2]) {
      const { baseUrl, bodies } = await openDyingService();
      replaceGlobal(wrap(globalFetch));
      const error = await fail(open({ baseUrl, maxRetries }));
      expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', phase: 'waiting', attempts: 1 });
      expect(bodies).toEqual([expect.stringContaining('INV-42')]);
    }
  });

  it.each(wrappers.slice(0, 2))('keeps not_sent if no request connects: %s', async (_, wrap) => {
    replaceGlobal(wrap(globalFetch));
    const error = await fail(open({ baseUrl: await findClosedUrl() }));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
  });
});

describe('a wrapper of the global fetch that passes requests on', () => {
  const globalFetch: GlobalFetch = globalThis.fetch;
  /** Counts the bytes of the body as `@opentelemetry/instrumentation-fetch` does with `measureRequestSize`. */
  const countBytes: GlobalFetch = (url, init) => {
    let size = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.byteLength;
        controller.enqueue(chunk);
      },
      flush: () => expect(size).toBeGreaterThan(0),
    });
    return globalFetch(url, {
      ...init,
      body: (init.body as ReadableStream<Uint8Array>).pipeThrough(counter),
    });
  };
  const sendRequest = globalFetch as unknown as (given: Request) => Promise<Response>;
  // Sentry replaces the global `fetch` once per process.
  addFetchInstrumentationHandler(() => {});
  const instrumented = globalThis.fetch;
  globalThis.fetch = globalFetch as typeof fetch;
  const wrappers: readonly [name: string, install: () => undefined][] = [
    ['Sentry', () => replaceGlobal(instrumented)],
    [
      'OpenTelemetry for undici',
      () => {
        const instrumentation = new UndiciInstrumentation();
        instrumentation.enable();
        onTestFinished(() => instrumentation.disable());
        return undefined;
      },
    ],
    ['one that counts bytes', () => replaceGlobal(countBytes)],
    [
      'a Request',
      () => replaceGlobal((url: string, init: RequestInit) => sendRequest(new Request(url, init))),
    ],
    [
      'a clone of a Request in a Request',
      () =>
        replaceGlobal((url: string, init: RequestInit) =>
          sendRequest(new Request(new Request(url, init).clone())),
        ),
    ],
    [
      'three around each other',
      () =>
        replaceGlobal((url: string, init: RequestInit) =>
          countBytes(url, { ...init, body: new Request(url, init).clone().body }),
        ),
    ],
  ];

  it.each(wrappers)('creates a payment, and reports the true outcome without one: %s', async (_, install) => {
    install();
    for (const maxRetries of [0, 1]) {
      const error = await fail(open({ baseUrl: await findClosedUrl(), maxRetries }));
      expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', attempts: maxRetries + 1 });
    }
    const { mock, client } = await connect(undefined);
    await client.payments.create({ ...order, beneficiary_name: 'José 株式会社' });
    expect(await countPayments(mock)).toBe(1);
    const { baseUrl, bodies } = await openDyingService();
    expect(await fail(open({ baseUrl, maxRetries: 2 }))).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(bodies).toHaveLength(1);
  });
});

/** An `AbortController` of another realm, such as that of jsdom. */
class ForeignController {
  readonly signal = Object.assign(new EventTarget(), { aborted: false });
  abort(): void {
    this.signal.aborted = true;
    this.signal.dispatchEvent(new Event('abort'));
  }
}

describe('a request that fetch refuses', () => {
  const refusals: readonly [name: string, open: () => Fetch | undefined][] = [
    ['a relative URL in the global fetch', () => (url, init) => fetch(new URL(url).pathname, init)],
    ['a relative URL in undici 8', () => (url, init) => undici.fetch(new URL(url).pathname, init)],
    ['a relative URL in node-fetch 2', () => (url, init) => nodeFetch2(new URL(url).pathname, init)],
    [
      'a global Request in undici 8',
      () => (url, init) => undici.fetch(new Request(url, init) as unknown as undici.Request),
    ],
    ['a global Request in node-fetch 2', () => (url, init) => nodeFetch2(new Request(url, init) as never)],
    [
      'a dispatcher of undici 8 in the global fetch',
      () => (url, init) => fetch(url, { ...init, dispatcher: agent() } as RequestInit),
    ],
    [
      'a MockAgent of undici 8 that does not match',
      () => {
        const dispatcher = new undici.MockAgent();
        dispatcher.disableNetConnect();
        return (url, init) => undici.fetch(url, { ...init, dispatcher });
      },
    ],
  ];

  it.each(refusals)('has the outcome not_sent: %s', async (_, openFetch) => {
    const { mock, client } = await connect(openFetch());
    expect(await fail(client)).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
    expect(await countPayments(mock)).toBe(0);
  });

  it.each([
    ['the global fetch', undefined],
    ['undici 8', undici.fetch],
  ] as const)('has the outcome not_sent: a signal of jsdom in %s', async (_, fetch) => {
    vi.stubGlobal('AbortController', ForeignController);
    onTestFinished(() => void vi.unstubAllGlobals());
    for (const browser of [undefined, {}]) {
      vi.stubGlobal('window', browser);
      vi.stubGlobal('document', browser);
      const client = open({ baseUrl: 'http://127.0.0.1:4010/api/v1', fetch, allowBrowser: true });
      expect(await fail(client)).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
      await expect(client.balance.retrieve()).rejects.toMatchObject({ outcome: 'not_sent' });
    }
  });

  it.each([
    ['a Request', () => vi.stubGlobal('Request', undefined)],
    ['Headers', () => vi.stubGlobal('Headers', undefined)],
    ['a stream', () => vi.stubGlobal('ReadableStream', undefined)],
  ])('has an outcome in a runtime without %s', async (_, remove) => {
    remove();
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = open({ baseUrl: await findClosedUrl(), onRequest: () => {} });
    expect(await fail(client)).toMatchObject({ outcome: 'not_sent' });
  });
});
