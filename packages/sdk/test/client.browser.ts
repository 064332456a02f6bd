import { expect, test } from 'vitest';
import { createClient, isConfigurationError, PaymentOutcomeUnknownError } from '../src/index.ts';
import { liveKey, payment, paymentInput, rejection, success, testKey } from './service.ts';

const baseUrl = `${location.origin}/api/v1`;

test('takes a test key in a page only when told so, and a live key never', () => {
  const create = (options: object): unknown => {
    try {
      return createClient({ apiKey: testKey, baseUrl, ...options });
    } catch (error) {
      return error;
    }
  };
  expect(isConfigurationError(create({}))).toBe(true);
  expect(create({ allowBrowser: true })).toHaveProperty('payments');
  const live = { apiKey: liveKey, baseUrl: 'https://api.example.test/api/v1', allowBrowser: true };
  expect(String(create(live))).toContain('client-side code');
});

test('signs, sends and reads in a browser', async () => {
  const seen: [string | null, string][] = [];
  const fetch = async (request: Request): Promise<Response> => {
    seen.push([request.headers.get('authorization'), await request.text()]);
    return success(payment, 201);
  };
  const service = createClient({ apiKey: testKey, baseUrl, fetch, allowBrowser: true });
  expect(await service.payments.create(paymentInput)).toEqual(payment);
  expect(seen).toEqual([[`Bearer ${testKey}`, expect.stringContaining('"amount":100.00,')]]);
});

test("goes through the browser's own fetch, and knows an answer that is not the service's", async () => {
  const service = createClient({ apiKey: testKey, baseUrl, allowBrowser: true });
  const error = await rejection(service.payments.create(paymentInput));
  expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
  expect(error).toMatchObject({ phase: 'answered', attempts: 1, cause: { outcome: 'unknown' } });
});

test('leaves an outcome unknown where the browser names no cause', async () => {
  const service = createClient({ apiKey: testKey, baseUrl: 'http://127.0.0.1:9/api/v1', allowBrowser: true });
  expect(await rejection(service.payments.create(paymentInput))).toMatchObject({
    name: 'PaymentOutcomeUnknownError',
    phase: 'waiting',
    cause: { name: 'ConnectionError' },
  });
});
