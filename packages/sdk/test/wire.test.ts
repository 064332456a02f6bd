import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Client, createClient, type Fetch } from '../src/index.ts';
import { payment, paymentInput, catchRejection, testKey } from './service.ts';
import { formatResponse, listen } from './socket-server.ts';

const connect = (baseUrl: string, options: object = {}): Client =>
  createClient({ apiKey: testKey, baseUrl, maxRetries: 0, ...options });
const created = JSON.stringify({ success: true, mode: 'test', data: payment });

describe.each([
  ['421 Misdirected Request', 2],
  ['401 Unauthorized', 1],
  ['407 Proxy Authentication Required', 1],
  ['408 Request Timeout', 1],
  ['425 Too Early', 1],
  ['503 Service Unavailable', 1],
] as const)('a %s response, which some runtimes retry', (line, sent) => {
  const challenge = ['WWW-Authenticate: Bearer', 'Proxy-Authenticate: Basic', 'Retry-After: 0'];

  it('leads to one request of a create, unless undici repeats that of a custom fetch', async () => {
    await using server = await listen((socket) => socket.end(formatResponse(line, '', challenge)));
    const client = connect(server.baseUrl);
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toMatchObject({ name: 'PaymentOutcomeUnknownError', attempts: 1 });
    expect(server.requests).toHaveLength(1);
    const fetch: Fetch = (url, init) => globalThis.fetch(url, init);
    await catchRejection(connect(server.baseUrl, { fetch }).payments.create(paymentInput));
    expect(server.requests).toHaveLength(1 + sent);
  });
});

describe('a response without an end', () => {
  const pour = (socket: Socket): void => {
    socket.write('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n');
    const size = 1 << 16;
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    const more = (): void => {
      while (socket.writable && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
  };

  it('is rejected beyond 8 MiB, and the socket is closed', async () => {
    const closed = Promise.withResolvers<number>();
    await using server = await listen((socket) => {
      socket.on('close', () => closed.resolve(socket.bytesWritten));
      pour(socket);
    });
    const error = await catchRejection(connect(server.baseUrl).balance.retrieve());
    expect(error).toMatchObject({ name: 'UnreadableResponseError', outcome: 'unknown', status: 201 });
    expect(String(error)).toContain('8 MiB');
    expect(await closed.promise).toBeLessThan(64 * 2 ** 20);
  });
});

describe('an idle connection that is reset', () => {
  it('causes no second request', async () => {
    await using server = await listen((socket) => {
      if (server.requests.length === 1)
        socket.write(`HTTP/1.1 201 Created\r\nContent-Length: ${created.length}\r\n\r\n${created}`);
      else socket.resetAndDestroy();
    });
    const client = connect(server.baseUrl);
    await client.payments.create(paymentInput);
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a request that was not sent', () => {
  const notSent = { name: 'ConnectionError', outcome: 'not_sent', attempts: 1 };

  it.each([
    ['an unknown host', 'http://api.does-not-exist.invalid/api/v1'],
    ['a port that fetch blocks', 'http://127.0.0.1:22/api/v1'],
  ])('is reported for %s', async (_, url) => {
    const client = connect(url, { allowInsecureHttp: true });
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject(notSent);
  });

  it('is reported for a server without TLS', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => plain.once('listening', resolve));
    const { port } = plain.address() as AddressInfo;
    const error = await catchRejection(
      connect(`https://127.0.0.1:${port}/api/v1`).payments.create(paymentInput),
    );
    await new Promise((resolve) => plain.close(resolve));
    expect(error).toMatchObject(notSent);
  });
});

describe('the body of a create with the global fetch', () => {
  const notRead = { name: 'ConnectionError', outcome: 'not_sent', attempts: 1 };
  async function createWith(fetch: unknown, options: object = {}): Promise<unknown> {
    vi.stubGlobal('fetch', fetch);
    return catchRejection(connect('http://127.0.0.1:4010/api/v1', options).payments.create(paymentInput));
  }
  const digest = Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' });
  const toText = (body: unknown): string => (body as { toString: () => string }).toString();
  const readBody = async (init: RequestInit): Promise<string> => new Response(init.body).text();
  afterEach(() => void vi.unstubAllGlobals());

  it('proves not_sent if it was not read', async () => {
    expect(await createWith(() => Promise.reject(new TypeError('refused')))).toMatchObject(notRead);
    expect(await createWith(() => Promise.reject(digest))).toBe(digest);
  });

  it.each<[string, (init: RequestInit) => unknown]>([
    ['as a stream', readBody],
    ['as text', ({ body }) => toText(body)],
    ['by a Request', (init) => new Request('http://localhost/', init).text()],
    ['by a copy', (init) => new Request('http://localhost/', init).clone().text()],
    ['twice as text', ({ body }) => [toText(body), toText(body)]],
  ])('proves nothing if it was read %s', async (_, read) => {
    const fetch = async (_url: string, init: RequestInit): Promise<never> => {
      await read(init);
      await new Promise((resolve) => setImmediate(resolve));
      throw digest;
    };
    expect(await createWith(fetch)).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'waiting',
      cause: digest,
    });
  });

  it('proves not_sent if it was copied and no copy was read, even later', async () => {
    let copy: Request | undefined;
    const fetch = async (url: string, init: RequestInit): Promise<never> => {
      copy = new Request(new Request(url, init).clone());
      await new Promise((resolve) => setImmediate(resolve));
      throw digest;
    };
    expect(await createWith(fetch)).toBe(digest);
    await expect(copy?.text()).rejects.toThrow('The call has ended');
  });

  it('cannot be read after the outcome not_sent', async () => {
    let later: (() => Promise<string>) | undefined;
    const keep = (_url: string, init: RequestInit): void => {
      later = () => readBody(init);
    };
    const failing = async (...args: [string, RequestInit]): Promise<never> => {
      keep(...args);
      throw new TypeError('queued');
    };
    expect(await createWith(failing)).toMatchObject(notRead);
    await expect(later!()).rejects.toThrow('The call has ended');
    const waiting = (...args: [string, RequestInit]): Promise<never> => {
      keep(...args);
      return new Promise(() => {});
    };
    const timeout = { name: 'TimeoutError', outcome: 'not_sent' };
    expect(await createWith(waiting, { timeout: 10 })).toMatchObject(timeout);
    await expect(later!()).rejects.toThrow('The call has ended');
  });
});

describe('a request on the wire', () => {
  it('has a content-length in bytes', async () => {
    const shown = created.replace('Acme Ltd', 'José 株式会社');
    await using server = await listen((socket) => socket.end(formatResponse('201 Created', shown)));
    await connect(server.baseUrl).payments.create({ ...paymentInput, beneficiary_name: 'José 株式会社' });
    const [head = '', body = ''] = server.requests[0]?.split('\r\n\r\n') ?? [];
    expect(head.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(head.toLowerCase()).not.toContain('transfer-encoding');
    expect(JSON.parse(body)).toMatchObject({ beneficiary_name: 'José 株式会社', amount: 100 });
  });
});

describe('a response', () => {
  it.each([
    ['in UTF-8', Buffer.from('已创建')],
    ['in Latin-1', Buffer.from('Créé', 'latin1')],
  ])('with a reason phrase %s is accepted', async (_, phrase) => {
    const [status, ...rest] = formatResponse('201 ?', created).split('?');
    const bytes = Buffer.concat([Buffer.from(status ?? ''), phrase, Buffer.from(rest.join('?'))]);
    await using server = await listen((socket) => socket.end(bytes));
    const client = connect(server.baseUrl);
    expect(await client.payments.create(paymentInput)).toEqual(payment);
    expect(await client.payments.retrieve(payment.id)).toEqual(payment);
  });
});
