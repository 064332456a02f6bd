import { onTestFinished } from 'vitest';
import { assembleClient } from '../src/client.ts';
import type { Client } from '../src/index.ts';
import { systemClock } from '../src/transport/clock.ts';

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

type Answer = Response | Error | ((request: Request) => Response | Promise<Response>);

/** A client that retries nothing, in front of a fetch that gives these answers in turn, the last one again and again, and keeps the requests. */
export function clientAnswering(
  answers: Answer[],
  options: object = {},
  clock = systemClock,
): { service: Client; requests: Request[] } {
  const requests: Request[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request);
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? Response.error();
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(request) : answer.clone();
  };
  return {
    service: assembleClient(
      { apiKey: testKey, baseUrl, fetch, maxRetries: 0, onWarning: () => {}, ...options },
      clock,
    ),
    requests,
  };
}

/** Gives every object these fields by inheritance, as a flaw elsewhere in a program may, until the test is over. */
export function polluteObjects(fields: object): void {
  const prototype = Object.getPrototypeOf({}) as object;
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
    onTestFinished(() => void Reflect.deleteProperty(prototype, name));
  }
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('the promise was expected to reject');
}
