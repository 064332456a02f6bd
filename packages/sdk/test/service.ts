import { expect, onTestFinished } from 'vitest';
import { assembleClient } from '../src/client.ts';
import type { Client, ServiceError } from '../src/index.ts';
import { systemClock } from '../src/transport/deadline.ts';
import { onRequest } from '../../../test/support/on-request.ts';

export const testKey = 'service_test_4f9c1d2e3b';
export const liveKey = 'service_live_8a7b6c5d4e';
export const baseUrl = 'http://localhost:4010/api/v1';

export const payment = {
  id: 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s',
  status: 'pending',
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 100,
  rate: 0.9213,
  receive_amount: 91.67,
  beneficiary: { name: 'Acme Ltd', bank: null, account: 'DE89370400440532013000', country: null },
  purpose: 'INV-42',
  created_at: '2026-01-31T12:00:00+00:00',
};

export const paymentInput = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '100.00',
  beneficiary_name: 'Acme Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};

export function success(data: unknown, status = 200): Response {
  return json({ success: true, mode: 'test', data }, status);
}

export function failure(status: number, type: string, headers: Record<string, string> = {}): Response {
  return json({ success: false, mode: 'test', error: { type, message: `It is ${type}.` } }, status, headers);
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'x-request-id': 'req_1', ...headers } });
}

/** Creates a failure of `fetch` with the code of a connection. */
export const failedFetch = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
export const refused = failedFetch('ECONNREFUSED');
export const reset = failedFetch('ECONNRESET');

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

type StubResponse = Response | Error | ((request: Request) => Response | Promise<Response>);

/** Creates a client without retries whose fetch returns these responses in order, the last one repeatedly, and records the requests. */
export function createStubClient(
  responses: StubResponse[],
  options: object = {},
  clock = systemClock,
): { client: Client; requests: Request[] } {
  const requests: Request[] = [];
  const fetch = onRequest(async (request) => {
    requests.push(request);
    const response = responses[Math.min(requests.length, responses.length) - 1] ?? Response.error();
    if (response instanceof Error) throw response;
    if (typeof response === 'function') return response(request);
    // Each create makes another payment.
    return request.method === 'POST' && requests.length > responses.length
      ? renumber(response, requests.length)
      : response.clone();
  });
  return {
    client: assembleClient(
      { apiKey: testKey, baseUrl, fetch, maxRetries: 0, onWarning: () => {}, ...options },
      clock,
    ),
    requests,
  };
}

/** Returns a copy of a response, with another payment id. */
async function renumber(response: Response, count: number): Promise<Response> {
  const text = await response.clone().text();
  return new Response(text.replace(payment.id, `${payment.id}${count}`), response);
}

/** Adds inherited fields to every object until the end of the test, as prototype pollution does. */
export function polluteObjectPrototype(fields: object): void {
  const prototype = Object.getPrototypeOf({}) as object;
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    onTestFinished(() => void Reflect.deleteProperty(prototype, name));
  }
}

/** Returns the reason of a rejected promise. */
export async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was expected to reject');
}

/** Makes calls that must be refused before sending, with an error of this name, and lists those with another result. */
export async function expectRefused(
  call: (client: Client, input: never) => PromiseLike<unknown>,
  rows: readonly (readonly [input: unknown, message: string])[],
  name = 'ValidationError',
): Promise<void> {
  const wrong: unknown[] = [];
  for (const [input, message] of rows) {
    const { client, requests } = createStubClient([success(payment)]);
    let result: unknown;
    try {
      result = await call(client, input as never);
    } catch (error) {
      result = error;
    }
    const { name: seen, outcome, attempts } = result as ServiceError;
    const isRefused = seen === name && outcome === 'not_sent' && attempts === 0;
    if (!isRefused || !String(result).includes(message) || requests.length > 0)
      wrong.push({ input, message, result });
  }
  expect(wrong).toEqual([]);
}

/** Makes a call that is refused before anything is sent, and returns its error. */
export async function catchRefusal(
  call: (client: Client) => Promise<unknown>,
  options: object = {},
): Promise<ServiceError> {
  const { client, requests } = createStubClient([success(payment, 201)], options);
  const error = (await catchRejection(call(client))) as ServiceError;
  expect(error).toMatchObject({ outcome: 'not_sent', attempts: 0 });
  expect(requests).toHaveLength(0);
  return error;
}
