import { runInThisContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError, createClient, type Fetch } from '../src/index.ts';
import {
  baseUrl,
  createStubClient,
  liveKey,
  catchRefusal,
  payment,
  paymentInput,
  success,
  testKey,
} from './service.ts';

const https = 'https://api.example.test/api/v1';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

function getErrorMessage(options: unknown): string {
  try {
    createClient(options as never);
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.outcome !== 'not_sent') throw error;
    return error.message;
  }
  throw new Error('the options were expected to be refused');
}

describe('the options of createClient', () => {
  it('are listed for a misspelled option', () => {
    expect(getErrorMessage({ apiKey: testKey, baseURL: baseUrl })).toContain(
      '"baseURL" is unknown. Use one of: apiKey, baseUrl,',
    );
    expect(getErrorMessage({ api_key: testKey, baseUrl })).toContain(
      '"api_key" is unknown. Use one of: apiKey,',
    );
    expect(getErrorMessage({ apiKey: testKey, baseUrl, color: 1 })).toContain('Use one of: apiKey');
  });

  it.each([
    ['fetch', {}, 'fetch must be a function'],
    ['timeout', 0, 'timeout must be'],
    ['timeout', Number.NaN, 'timeout must be'],
    ['timeout', 2 ** 31, 'at most 2147483647'],
    ['timeout', '5', 'timeout must be'],
    ['allowBrowser', 'yes', 'allowBrowser must be true or false'],
    ['maxRetries', -1, 'maxRetries'],
    ['maxRetries', 1.5, 'maxRetries'],
    ['totalTimeout', 0, 'totalTimeout'],
    ['idempotency', 'assume', 'idempotency'],
    ['idempotencyKeys', 'yes', 'idempotencyKeys'],
    ['idempotencyKeys', true, "'send' or 'omit'"],
    ['keyRetention', 0, 'keyRetention must be a whole number from 1'],
    ['keyRetention', '24h', 'keyRetention must be a whole number from 1'],
  ])('reject %s %o', (name, value, message) => {
    const text = getErrorMessage({ apiKey: testKey, baseUrl, [name]: value });
    expect(text).toContain(message);
    expect(text).not.toContain('secret-value');
  });

  it('reject keyRetention without keys', () => {
    const options = { apiKey: testKey, baseUrl, keyRetention: 1, idempotencyKeys: 'omit' };
    expect(getErrorMessage(options)).toContain("idempotencyKeys: 'send'");
  });

  it('reject a value that is not an object', () => {
    expect(getErrorMessage('x')).toContain('must be an object');
    expect(getErrorMessage(null)).toContain('must be an object');
  });
});

describe('the option baseUrl', () => {
  it('is required, and the error names both ways to set it', () => {
    vi.stubEnv('SERVICE_BASE_URL', '');
    expect(getErrorMessage({ apiKey: testKey })).toContain('SERVICE_BASE_URL');
  });

  it.each([
    'localhost:4010/api/v1',
    '/api/v1',
    'ftp://localhost/api/v1',
    '',
    5,
    null,
    'https://user:hunter2@api.example.test/api/v1',
    `https://api.example.test/api/v1?key=${testKey}`,
    'https://api.example.test/api/v1?',
    'https://api.example.test/api/v1#part',
  ])('rejects %o without repeating it', (address) => {
    const message = getErrorMessage({ apiKey: testKey, baseUrl: address });
    expect(message).toContain('baseUrl');
    expect(message).not.toMatch(/hunter2|service_test_4/);
  });

  it.each(['', '/', '///'])('accepts "%s" at its end', async (end) => {
    const { client, requests } = createStubClient([success({ balances: [] })], { baseUrl: baseUrl + end });
    await client.balance.retrieve();
    expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
  });

  it.each(['http://api.example.test/v1', 'http://127.0.0.1.example.test/v1', 'http://localhost.example/v1'])(
    'requires allowInsecureHttp for plain http elsewhere: %s',
    (address) => {
      expect(getErrorMessage({ apiKey: testKey, baseUrl: address })).toContain('allowInsecureHttp');
      const options = { apiKey: testKey, baseUrl: address, allowInsecureHttp: true };
      expect(createClient(options)).toHaveProperty('payments');
    },
  );

  it('must be https for a live key, except for a loopback address', () => {
    for (const address of ['http://api.example.test/v1', 'http://127.0.0.1.example.test/v1']) {
      expect(getErrorMessage({ apiKey: liveKey, baseUrl: address, allowInsecureHttp: true })).toContain(
        'Use https.',
      );
    }
    const loopback = [
      'http://127.0.0.1:1/v1',
      'http://127.9.8.7/v1',
      'http://[::1]:80/v1',
      'http://LOCALHOST/v1',
    ];
    for (const address of [https, ...loopback])
      for (const apiKey of [testKey, liveKey])
        expect(createClient({ apiKey, baseUrl: address })).toHaveProperty('payments');
  });
});

describe('the option apiKey', () => {
  const bad = [
    '',
    'sk_test_abc',
    'service_test_',
    'service_live_',
    'service_prod_abc',
    ` ${testKey}`,
    `${testKey}\n`,
    `${testKey}\r\nX-Evil: 1`,
    `${testKey}\u00e9`,
    `${testKey}\u0000`,
    'Bearer service_test_abc',
    5,
    null,
    {},
  ];

  it.each(bad)('rejects %o without showing it, also from a function at the call', async (apiKey) => {
    vi.stubEnv('SERVICE_API_KEY', '');
    const message = getErrorMessage({ apiKey, baseUrl });
    expect(message).toContain('API key');
    const error = await catchRefusal(({ balance }) => balance.retrieve(), { apiKey: async () => apiKey });
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(message + String(error.stack)).not.toContain('4f9c1d2e3b');
  });

  it('is called before each call if it is a function', async () => {
    let count = 0;
    const apiKey = (): string => `service_test_${(count += 1)}`;
    const { client, requests } = createStubClient([success({ balances: [] })], { apiKey });
    await client.balance.retrieve();
    await client.balance.retrieve();
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer service_test_1',
      'Bearer service_test_2',
    ]);
  });

  it('reports a function that fails, with its cause', async () => {
    const cause = new Error('the vault is closed');
    const apiKey = (): Promise<never> => Promise.reject(cause);
    const error = await catchRefusal(({ balance }) => balance.retrieve(), { apiKey });
    expect(error).toMatchObject({ name: 'ConfigurationError', cause });
  });

  it('is read from the environment by default', async () => {
    vi.stubEnv('SERVICE_API_KEY', testKey);
    vi.stubEnv('SERVICE_BASE_URL', baseUrl);
    const requests: Request[] = [];
    const client = createClient({
      fetch: async (url, init) => {
        requests.push(new Request(url, init));
        return success({ balances: [] });
      },
    });
    await client.balance.retrieve();
    expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  });

  it('is reported as missing in a runtime without an environment', () => {
    vi.stubGlobal('process', undefined);
    expect(getErrorMessage({ baseUrl })).toContain('The API key is missing');
    expect(getErrorMessage({ baseUrl })).toMatch(/\bSERVICE_API_KEY\b.*`service-cli dev -- COMMAND`/);
    vi.unstubAllGlobals();
  });
});

describe('createClient in client-side code', () => {
  const WorkerGlobalScope = Object.defineProperty(() => {}, Symbol.hasInstance, { value: () => true });
  const places: [string, Record<string, unknown>][] = [
    ['a page', { window: {}, document: {} }],
    ['a worker', { importScripts: () => {} }],
    ['a module worker', { WorkerGlobalScope }],
    ['React Native', { navigator: { product: 'ReactNative' } }],
  ];

  it.each(places)(
    'rejects a live key, and requires allowBrowser for a test key, in %s',
    async (_, globals) => {
      for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
      expect(getErrorMessage({ apiKey: testKey, baseUrl })).toContain('allowBrowser: true');
      expect(createClient({ apiKey: testKey, baseUrl, allowBrowser: true })).toHaveProperty('payments');
      const options = { apiKey: liveKey, baseUrl: https, allowBrowser: true };
      expect(getErrorMessage(options)).toContain('client-side code');
      const called = { ...options, apiKey: () => liveKey };
      const error = await catchRefusal(({ balance }) => balance.retrieve(), called);
      expect(error).toBeInstanceOf(ConfigurationError);
    },
  );

  it('accepts a live key in an edge worker', () => {
    vi.stubGlobal('WorkerGlobalScope', WorkerGlobalScope);
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    expect(createClient({ apiKey: liveKey, baseUrl: https })).toHaveProperty('payments');
  });
});

describe('the fetch of a client', () => {
  it('is fixed by the option fetch, even to the global fetch', async () => {
    const named = vi.fn<typeof fetch>(async () => Response.json({ success: true, data: { balances: [] } }));
    const later = vi.fn<typeof fetch>(async () => Response.error());
    vi.stubGlobal('fetch', named);
    const pinned = createClient({ apiKey: testKey, baseUrl, fetch: globalThis.fetch });
    const unpinned = createClient({ apiKey: testKey, baseUrl, maxRetries: 0 });
    vi.stubGlobal('fetch', later);
    await pinned.balance.retrieve();
    expect(named).toHaveBeenCalledTimes(1);
    await expect(unpinned.balance.retrieve()).rejects.toThrow(/connection .* failed/);
    expect(later).toHaveBeenCalledTimes(1);
  });

  const send: Fetch = async () => success({ balances: [] });
  const single: [string, unknown][] = [
    ['an arrow function', async (request: Request) => fetch(request)],
    ['an arrow function without brackets', runInThisContext('(request => fetch(request))')],
    [
      'a method',
      {
        async send(this: void, request: Request) {
          return fetch(request);
        },
      }.send,
    ],
    ['a pattern', async ({ url }: Request) => fetch(url)],
  ];

  it.each(single)('is refused if it ignores the options: %s', (_, one) => {
    expect(() => createClient({ apiKey: testKey, baseUrl, fetch: one as Fetch })).toThrow(
      'fetch must be a function of a URL and options, not of a Request: pass (url, init) => fetch(url, init).',
    );
  });

  const both: [string, unknown][] = [
    ['the global fetch', fetch],
    [
      'a function with a rest parameter after the URL',
      (url: string, ...rest: [RequestInit]) => fetch(url, ...rest),
    ],
    ['a function with a default', (url: string, init: RequestInit = {}) => fetch(url, init)],
    [
      'a function with arguments',
      runInThisContext('(function (url) { return fetch.apply(this, arguments); })'),
    ],
    ['a mock function', vi.fn<Fetch>(send)],
    ['a proxy', new Proxy(send, {})],
  ];

  it.each(both)('is accepted: %s', (_, one) => {
    expect(() => createClient({ apiKey: testKey, baseUrl, fetch: one as Fetch })).not.toThrow();
  });

  it('gets the URL, and options that other implementations accept', async () => {
    const seen: unknown[] = [];
    const client = createClient({
      apiKey: testKey,
      baseUrl,
      fetch: async (...args) => {
        seen.push(args);
        return success(payment, 201);
      },
    });
    await client.payments.create(paymentInput, { idempotencyKey: 'order-1' });
    const headers = { accept: 'application/json', authorization: `Bearer ${testKey}` };
    const more = { 'content-type': 'application/json', 'idempotency-key': 'order-1' };
    const shared = { redirect: 'manual', cache: 'no-store', signal: expect.any(AbortSignal) };
    const body = expect.stringContaining('"amount":100.00,');
    expect(seen).toEqual([
      [`${baseUrl}/payments`, { method: 'POST', headers: { ...headers, ...more }, body, ...shared }],
    ]);
  });

  it.each([
    [
      'throws for it, such as older releases of workerd',
      () => {
        throw new Error('The field cache is not implemented.');
      },
    ],
    ['adds a query parameter for it, such as React Native', () => ({ url: 'http://localhost/?_=1' })],
  ])('gets no `cache` in a runtime that %s', async (_, construct) => {
    vi.stubGlobal('Request', new Proxy(Request, { construct }));
    const seen: object[] = [];
    const client = createClient({
      apiKey: testKey,
      baseUrl,
      fetch: async (_url, init) => {
        seen.push(init);
        return success({ balances: [] });
      },
    });
    await client.balance.retrieve();
    expect(seen).toHaveLength(1);
    expect(seen[0]).not.toHaveProperty('cache');
  });
});
