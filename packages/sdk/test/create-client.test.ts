import { afterEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationError, createClient, type Fetch } from '../src/index.ts';
import { baseUrl, clientAnswering, liveKey, rejection, success, testKey } from './service.ts';

const https = 'https://api.example.test/api/v1';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

function refusal(options: unknown): string {
  try {
    createClient(options as never);
  } catch (error) {
    if (!(error instanceof ConfigurationError) || error.outcome !== 'not_sent') throw error;
    return error.message;
  }
  throw new Error('the options were expected to be refused');
}

describe('options', () => {
  test('names the option that was meant', () => {
    expect(refusal({ apiKey: testKey, baseURL: baseUrl })).toContain('Did you mean "baseUrl"?');
    expect(refusal({ api_key: testKey, baseUrl })).toContain('Did you mean "apiKey"?');
    expect(refusal({ apiKey: testKey, baseUrl, color: 1 })).toContain('Known are: apiKey');
  });

  test.each([
    ['auth', 'basic', "auth must be 'bearer' or 'x-api-key'"],
    ['fetch', {}, 'fetch must be a function'],
    ['timeout', 0, 'timeout must be'],
    ['timeout', Number.NaN, 'timeout must be'],
    ['timeout', 2 ** 31, 'at most 2147483647'],
    ['timeout', '5', 'timeout must be'],
    ['allowBrowser', 'yes', 'allowBrowser must be true or false'],
    ['headers', [['a', 'b']], 'headers must be a plain object'],
    ['headers', new Headers(), 'headers must be a plain object'],
    ['headers', { 'a b': 'c' }, 'not a header name'],
    ['headers', { constructor: 5 }, 'as a string'],
    ['headers', { Authorization: 'secret-value' }, 'headers must not set Authorization'],
    ['headers', { 'x-api-KEY': 'secret-value' }, 'apiKey'],
    ['headers', { Accept: 'secret-value' }, 'must not set Accept: the client or the connection does'],
    ['headers', { 'Idempotency-Key': 'secret-value' }, 'idempotencyKey'],
    ['headers', { 'X-Trace': 'secret-value\n' }, 'printable ASCII'],
  ])('refuses %s %o', (name, value, message) => {
    const said = refusal({ apiKey: testKey, baseUrl, [name]: value });
    expect(said).toContain(message);
    expect(said).not.toContain('secret-value');
  });

  test('refuses options that are no object', () => {
    expect(refusal('x')).toContain('must be an object');
    expect(refusal(null)).toContain('must be an object');
  });
});

describe('baseUrl', () => {
  test('is needed, and the refusal says how to give it', () => {
    vi.stubEnv('SERVICE_BASE_URL', '');
    expect(refusal({ apiKey: testKey })).toContain('SERVICE_BASE_URL');
  });

  test.each([
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
  ])('refuses %o without repeating it', (address) => {
    const said = refusal({ apiKey: testKey, baseUrl: address });
    expect(said).toContain('baseUrl');
    expect(said).not.toMatch(/hunter2|service_test_4/);
  });

  test.each(['', '/', '///'])('bears "%s" at its end', async (end) => {
    const { service, requests } = clientAnswering([success({ balances: [] })], { baseUrl: baseUrl + end });
    await service.balance.retrieve();
    expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
  });

  test.each(['http://127.0.0.1:1/v1', 'http://127.9.8.7/v1', 'http://[::1]:80/v1', 'http://LOCALHOST/v1'])(
    'takes plain http on the machine itself: %s',
    (address) => {
      expect(createClient({ apiKey: testKey, baseUrl: address })).toHaveProperty('payments');
    },
  );

  test.each([
    'http://api.example.test/v1',
    'http://127.0.0.1.example.test/v1',
    'http://localhost.example/v1',
  ])('refuses plain http elsewhere unless told otherwise: %s', (address) => {
    expect(refusal({ apiKey: testKey, baseUrl: address })).toContain('allowInsecureHttp');
    const options = { apiKey: testKey, baseUrl: address, allowInsecureHttp: true };
    expect(createClient(options)).toHaveProperty('payments');
  });

  test('must be https for a live key, without exception', () => {
    for (const address of [baseUrl, 'http://api.example.test/v1']) {
      expect(refusal({ apiKey: liveKey, baseUrl: address, allowInsecureHttp: true })).toContain('Use https.');
    }
    expect(createClient({ apiKey: liveKey, baseUrl: https })).toHaveProperty('payments');
  });
});

describe('apiKey', () => {
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

  test.each(bad)('refuses %o without showing it', (apiKey) => {
    vi.stubEnv('SERVICE_API_KEY', '');
    const said = refusal({ apiKey, baseUrl });
    expect(said).toContain('API key');
    expect(said).not.toContain('4f9c1d2e3b');
  });

  test.each(bad)('refuses %o from a function when the call is made, and sends nothing', async (apiKey) => {
    const { service, requests } = clientAnswering([success({})], { apiKey: async () => apiKey });
    const error = await rejection(service.balance.retrieve());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0 });
    expect(String((error as Error).stack)).not.toContain('4f9c1d2e3b');
    expect(requests).toHaveLength(0);
  });

  test('is asked before each call when it is a function', async () => {
    let count = 0;
    const apiKey = (): string => `service_test_${(count += 1)}`;
    const { service, requests } = clientAnswering([success({ balances: [] })], { apiKey });
    await service.balance.retrieve();
    await service.balance.retrieve();
    expect(requests.map((request) => request.headers.get('authorization'))).toEqual([
      'Bearer service_test_1',
      'Bearer service_test_2',
    ]);
  });

  test('reports a function that fails, with its cause', async () => {
    const cause = new Error('the vault is closed');
    const { service, requests } = clientAnswering([success({})], { apiKey: () => Promise.reject(cause) });
    expect(await rejection(service.balance.retrieve())).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'not_sent',
      cause,
    });
    expect(requests).toHaveLength(0);
  });

  test('comes from the environment when none is given', async () => {
    vi.stubEnv('SERVICE_API_KEY', testKey);
    vi.stubEnv('SERVICE_BASE_URL', baseUrl);
    const requests: Request[] = [];
    const service = createClient({
      fetch: async (request) => {
        requests.push(request);
        return success({ balances: [] });
      },
    });
    await service.balance.retrieve();
    expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  });

  test('is missing where there is no environment at all', () => {
    vi.stubGlobal('process', undefined);
    expect(refusal({ baseUrl })).toContain('An API key is needed');
    vi.unstubAllGlobals();
  });
});

describe('in a browser', () => {
  const WorkerGlobalScope = Object.defineProperty(() => {}, Symbol.hasInstance, { value: () => true });
  const places: [string, Record<string, unknown>][] = [
    ['a page', { window: {}, document: {} }],
    ['a worker', { importScripts: () => {} }],
    ['a module worker', { WorkerGlobalScope }],
    ['React Native', { navigator: { product: 'ReactNative' } }],
  ];

  test.each(places)('refuses a live key in %s', async (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    const options = { apiKey: liveKey, baseUrl: https, allowBrowser: true };
    expect(refusal(options)).toContain('client-side code');
    const { service, requests } = clientAnswering([success({})], { ...options, apiKey: () => liveKey });
    expect(await rejection(service.balance.retrieve())).toBeInstanceOf(ConfigurationError);
    expect(requests).toHaveLength(0);
  });

  test.each(places)('takes a test key in %s only when told so', (_, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    expect(refusal({ apiKey: testKey, baseUrl })).toContain('allowBrowser: true');
    expect(createClient({ apiKey: testKey, baseUrl, allowBrowser: true })).toHaveProperty('payments');
  });

  test('is not taken for one by a worker at the edge', () => {
    vi.stubGlobal('WorkerGlobalScope', WorkerGlobalScope);
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    expect(createClient({ apiKey: liveKey, baseUrl: https })).toHaveProperty('payments');
  });
});

test('looks the global fetch up at each call', async () => {
  const service = createClient({ apiKey: testKey, baseUrl });
  const fetch = vi.fn<Fetch>(async () => success({ balances: [] }));
  vi.stubGlobal('fetch', fetch);
  await service.balance.retrieve();
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('sends the key in the header that it is told, and in no other', async () => {
  const bearer = clientAnswering([success({ balances: [] })]);
  await bearer.service.balance.retrieve();
  expect(bearer.requests[0]?.headers.get('authorization')).toBe(`Bearer ${testKey}`);
  expect(bearer.requests[0]?.headers.has('x-api-key')).toBe(false);
  const apiKey = clientAnswering([success({ balances: [] })], { auth: 'x-api-key' });
  await apiKey.service.balance.retrieve();
  expect(apiKey.requests[0]?.headers.get('x-api-key')).toBe(testKey);
  expect(apiKey.requests[0]?.headers.has('authorization')).toBe(false);
});

test("adds the client's headers and, over them, the call's", async () => {
  const { service, requests } = clientAnswering([success({ balances: [] })], {
    headers: { 'User-Agent': 'shop/1.0', 'X-A': 'client' },
  });
  await service.balance.retrieve({ headers: { 'x-a': 'call' } });
  expect(requests[0]?.headers.get('user-agent')).toBe('shop/1.0');
  expect(requests[0]?.headers.get('x-a')).toBe('call');
});

test('a fetch that was named stays the one, also when it was the global one', async () => {
  const named = vi.fn<typeof fetch>(async () => Response.json({ success: true, data: { balances: [] } }));
  const later = vi.fn<typeof fetch>(async () => Response.error());
  vi.stubGlobal('fetch', named);
  const pinned = createClient({ apiKey: testKey, baseUrl, fetch: globalThis.fetch });
  const unpinned = createClient({ apiKey: testKey, baseUrl, maxRetries: 0 });
  vi.stubGlobal('fetch', later);
  await pinned.balance.retrieve();
  expect(named).toHaveBeenCalledTimes(1);
  await expect(unpinned.balance.retrieve()).rejects.toThrow('connection failed');
  expect(later).toHaveBeenCalledTimes(1);
});
