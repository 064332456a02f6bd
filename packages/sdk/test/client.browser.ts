import { describe, expect, it } from 'vitest';
import { createClient, type Fetch, ConfigurationError, PaymentOutcomeUnknownError } from '../src/index.ts';
import { liveKey, payment, paymentInput, catchRejection, success, testKey } from './service.ts';

const baseUrl = `${location.origin}/api/v1`;

describe('a client in a browser', () => {
  it('accepts a test key only with allowBrowser, and a live key never', () => {
    const create = (options: object): unknown => {
      try {
        return createClient({ apiKey: testKey, baseUrl, ...options });
      } catch (error) {
        return error;
      }
    };
    expect(create({}) instanceof ConfigurationError).toBe(true);
    expect(create({ allowBrowser: true })).toHaveProperty('payments');
    const live = { apiKey: liveKey, baseUrl: 'https://api.example.test/api/v1', allowBrowser: true };
    expect(String(create(live))).toContain('client-side code');
  });

  it('authenticates, sends and reads a create', async () => {
    const seen: [string | null, string][] = [];
    const fetch: Fetch = async (url, init) => {
      const request = new Request(url, init);
      seen.push([request.headers.get('authorization'), await request.text()]);
      return success(payment, 201);
    };
    const client = createClient({ apiKey: testKey, baseUrl, fetch, allowBrowser: true });
    expect(await client.payments.create(paymentInput)).toEqual(payment);
    expect(seen).toEqual([[`Bearer ${testKey}`, expect.stringContaining('"amount":100.00,')]]);
  });

  it('rejects a response that is not of the service, through the global fetch', async () => {
    const client = createClient({ apiKey: testKey, baseUrl, allowBrowser: true });
    const error = await catchRejection(client.payments.create(paymentInput));
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({ phase: 'responded', attempts: 1, cause: { outcome: 'unknown' } });
  });

  it('reports an unknown outcome when the browser names no cause', async () => {
    const client = createClient({
      apiKey: testKey,
      baseUrl: 'http://127.0.0.1:9/api/v1',
      allowBrowser: true,
    });
    expect(await catchRejection(client.payments.create(paymentInput))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      phase: 'waiting',
      cause: { name: 'ConnectionError' },
    });
  });
});
