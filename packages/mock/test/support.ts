import { createMock, type Mock, type MockOptions } from '@service/mock';
import { checked } from '../../../test/support/conformance.ts';

/** A response body of the service, with the fields that tests use. */
export interface Envelope {
  success: boolean;
  mode?: string;
  data: Record<string, unknown>;
  error: { type: string; message: string };
}

/** A response of the service. */
export interface Answered {
  status: number;
  headers: Headers;
  body: Envelope;
}

/** A client of a mock. It checks every response against openapi.yaml. */
export interface Caller {
  send: (method: string, path: string, init?: RequestInit) => Promise<Answered>;
  get: (path: string) => Promise<Answered>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answered>;
}

export function createCaller(mock: Mock, key: string = mock.account.testKey): Caller {
  const fetch = checked(mock.fetch);
  const send: Caller['send'] = async (method, path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization') && key !== '') headers.set('authorization', `Bearer ${key}`);
    const response = await fetch(`${mock.baseUrl}${path}`, { ...init, method, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return {
    send,
    get: (path) => send('GET', path),
    post: (path, body, headers = {}) =>
      send('POST', path, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

/** The time at which the clocks of tests start that compare times. */
export const START = '2026-01-31T12:00:00Z';

/** A mock with a manual clock that starts at a fixed time, and a fixed seed. */
export function createStillMock(options: MockOptions = {}): { mock: Mock } & Caller {
  const mock = createMock({
    clock: 'manual',
    seed: 42,
    ...options,
    initial: { start: START, ...options.initial },
  });
  return { mock, ...createCaller(mock) };
}

/** The fields of a payment of 1000 USD to EUR. */
export function order(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: 1000,
    beneficiary_name: 'Acme Supplies Ltd',
    ...fields,
  };
}
