import { createMock, type Mock, type MockOptions, type ProfileChoice } from '@service/mock';
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

/** A response of a profile. */
export interface Seen {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of other profiles have no type
  json: any;
}

/** Headers beside the key and the media type. One that is undefined is not sent. */
export type SentHeaders = Record<string, string | undefined>;

/** A client that does not compare responses with openapi.yaml, from which those of other profiles differ. */
export interface PlainCaller {
  /** Sends a body as it is if it is text, else as JSON. */
  ask: (method: string, path: string, body?: unknown, headers?: SentHeaders) => Promise<Seen>;
  get: (path: string) => Promise<Seen>;
  /** Creates a payment with the fields of `order`. */
  pay: (fields?: Record<string, unknown>, headers?: SentHeaders) => Promise<Seen>;
}

export function createPlainCaller(mock: Mock): PlainCaller {
  const ask: PlainCaller['ask'] = async (method, path, body, headers = {}) => {
    const key = `Bearer ${mock.account.testKey}`;
    const sent = { authorization: key, 'content-type': 'application/json', ...headers };
    const response = await mock.fetch(mock.baseUrl + path, {
      method,
      headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  return {
    ask,
    get: (path) => ask('GET', path),
    pay: (fields, headers) => ask('POST', '/payments', order(fields), headers),
  };
}

/** A mock with a profile and a client that does not compare its responses with openapi.yaml. */
export function openProfile(profile: ProfileChoice): { mock: Mock } & PlainCaller {
  const { mock } = createStillMock({ profile });
  return { mock, ...createPlainCaller(mock) };
}

/** Names of the prototype of every object, which must be data of a request like others. */
export const prototypeNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'isPrototypeOf',
  '__defineGetter__',
];
