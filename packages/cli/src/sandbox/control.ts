import { findRootCause, isLoopback, type JsonObject, parseJson, toRecord } from '@service/internal';
import { findBaseUrl, modeOfKey, readKey } from '../config.ts';
import { ControlError, toCliMessage, UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import { parseHttpUrl } from '../parse.ts';
import { exitCodes, type Session } from '../session.ts';
import { type ControlDocument, type Operation, readDocument, toRows, type Values } from './document.ts';

/** A client of the control API of a mock. */
export interface Control extends ControlDocument {
  /**
   * Calls the operation with an id, with its fields or with a raw body. Returns undefined if the response has no body.
   *
   * @throws {ControlError} when the control API rejects the request or does not respond.
   */
  readonly call: (id: string, input?: Values | Uint8Array) => Promise<unknown>;
}

/** Maximum time of the health check, in milliseconds. Operations have no limit, because some wait for receivers. */
const HEALTH_TIMEOUT = 10_000;
/** Maximum size of the health response, because the server is not yet known to be a mock. */
const MAX_HEALTH_BYTES = 65_536;

/**
 * Creates a client of the control API at the base URL. First calls the public health check, so that the token and the
 * key are sent only to a mock, and reads the document. Each request has the API key, if there is one: it selects a process
 * behind a proxy, and with self-service it takes the place of the token.
 *
 * @throws {UsageError} when the base URL or the token is invalid, or the file of the key cannot be read.
 * @throws {ControlError} when there is no control API at the base URL.
 */
export async function openControl(session: Session): Promise<Control> {
  const url = readControlUrl(session);
  const token = session.env.SERVICE_SANDBOX_TOKEN || undefined;
  if (token !== undefined && !/^[\w\-.~+/=]{16,512}$/.test(token))
    throw new UsageError('SERVICE_SANDBOX_TOKEN must be 16 to 512 characters: letters, digits and -._~+/=.');
  // A live key is never sent over plain http.
  const given = (await session.findKey()) ?? '';
  const key =
    API_KEY.test(given) && (url.protocol === 'https:' || modeOfKey(given) === 'test') ? given : undefined;
  const health = await sendRequest(session, new Request(`${url.href}/health`), HEALTH_TIMEOUT);
  if (!isHealth(health)) throw createNoControlError(url, health.status);
  const mask = (text: string): string => (token === undefined ? text : text.replaceAll(token, '…'));
  const send = async (request: Request): Promise<unknown> => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    if (key !== undefined) request.headers.set('x-api-key', key);
    const { status, json } = await sendRequest(session, request);
    if (status >= 200 && status < 300 && json !== null) return json;
    const { code, message } = toRecord(toRecord(json).error);
    if (typeof code !== 'string' || typeof message !== 'string') throw createNoControlError(url, status);
    const hint =
      token === undefined
        ? ' Set SERVICE_SANDBOX_TOKEN.'
        : ' SERVICE_SANDBOX_TOKEN is not the token of this mock.';
    const text = `${toCliMessage(mask(message))}${code === 'unauthenticated' ? hint : ''}`;
    throw new ControlError(mask(code), text, status);
  };
  const found = await send(new Request(`${url.href}/openapi.json`)).catch(async (error: unknown) => {
    if (!(error instanceof ControlError) || error.exitCode !== exitCodes.refused) throw error;
    // The key of an account does not open the document, but its operations.
    return (await import('@service/mock/openapi')).document;
  });
  const document = readDocument(found);
  if (document === undefined) throw createUnreadableError('getDocument');
  return {
    ...document,
    async call(id, input = {}) {
      const operation = document.operations.find((each) => each.id === id);
      if (operation === undefined) throw createUnreadableError(id);
      const body = await send(toRequest(url, operation, input));
      if (operation.response !== undefined && typeof body !== 'object') throw createUnreadableError(id);
      return body;
    },
  };
}

/**
 * Returns the URL of the control API: `/_sandbox` at the origin of the base URL.
 *
 * @throws {UsageError} when the base URL is invalid, or plain http would expose the token or key. The message does not
 * repeat the URL, because it can contain a password.
 */
export function readControlUrl(session: Session): URL {
  const { allowInsecureHttp = false } = session.globals();
  const url = parseHttpUrl(findBaseUrl(session));
  if (url === undefined) {
    throw new UsageError(
      "--base-url, or SERVICE_BASE_URL, must be an http or https URL without user name and password, such as 'http://localhost:4010/api/v1'.",
    );
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || allowInsecureHttp)
    return new URL('/_sandbox', url);
  throw new UsageError(
    'Plain http would expose the token and the key. Use https, or pass --allow-insecure-http.',
  );
}

/** The form of the keys of a mock. A header cannot contain other text. */
const API_KEY = /^service_(?:test|live)_[\w.~-]{1,255}$/;

interface ControlResponse {
  readonly status: number;
  /** Undefined for an empty body, null for one that is not JSON. */
  readonly json: unknown;
}

/** Sends a request. A limited one is to a server that may not be a mock. */
async function sendRequest(
  { fetch = globalThis.fetch, signal: ended }: Session,
  request: Request,
  limit?: number,
): Promise<ControlResponse> {
  const signal = limit === undefined ? ended : AbortSignal.any([ended, AbortSignal.timeout(limit)]);
  try {
    const response = await fetch(new Request(request, { signal, redirect: 'manual' }));
    const { bytes, error } = await readBodyStart(response, limit === undefined ? Infinity : MAX_HEALTH_BYTES);
    if (error !== undefined) throw error;
    const text = new TextDecoder().decode(bytes);
    return { status: response.status, json: text === '' ? undefined : (parseJson(text) ?? null) };
  } catch (error) {
    const message = `The control API at ${new URL(request.url).origin} did not respond. \`service-cli mock\` starts a mock.`;
    throw new ControlError('no_answer', message, undefined, findRootCause(error));
  }
}

function toRequest(base: URL, { method, path, fields }: Operation, input: Values | Uint8Array): Request {
  const isFile = input instanceof Uint8Array;
  const given = Object.entries(isFile ? {} : input).filter(([, value]) => value !== undefined);
  const fieldsIn = (place: string): [string, unknown][] =>
    given.filter(([name]) => fields.some((field) => field.name === name && field.place === place));
  const url = new URL(base);
  url.pathname += fieldsIn('path').reduce(
    (before, [name, value]) => before.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    path,
  );
  for (const [name, value] of fieldsIn('query')) url.searchParams.set(name, String(value));
  const body = isFile ? new Uint8Array(input) : JSON.stringify(Object.fromEntries(fieldsIn('body')));
  if (method === 'GET' || method === 'DELETE') return new Request(url, { method });
  return new Request(url, { method, body, headers: { 'content-type': 'application/json' } });
}

function isHealth({ status, json }: ControlResponse): boolean {
  const { status: health, version } = toRecord(json);
  return status === 200 && health === 'ok' && typeof version === 'string';
}

/** Creates the error of a response that does not match the document of the control API. */
export function createUnreadableError(id: string): ControlError {
  return new ControlError(
    'unreadable_answer',
    `The response of the control API to ${id} does not match its document.`,
  );
}

/** Maximum number of rows in one response. */
const MAX_ROWS = 1_000;

/**
 * Reads all rows of a list, oldest first. New ones that arrive between two pages shift the next one, so that it repeats rows.
 *
 * @throws {ControlError} when a response has no list of this name.
 */
export async function readList(
  control: Control,
  operation: string,
  name: string,
  input: Values,
): Promise<JsonObject[]> {
  const rows = new Map<unknown, JsonObject>();
  for (let offset = 0, total = Infinity; offset < total; offset += MAX_ROWS) {
    const page = toRecord(await control.call(operation, { ...input, limit: MAX_ROWS, offset }));
    if (!Array.isArray(page[name])) throw createUnreadableError(operation);
    for (const row of toRows(page[name]).toReversed()) rows.set(row.id, row);
    total = Number(page.total) || 0;
  }
  return [...rows.values()].toReversed();
}

function createNoControlError({ href }: URL, status: number): ControlError {
  const message = `There is no control API at ${href}. Start one with \`service-cli mock\`.`;
  return new ControlError('no_control', message, status);
}

/**
 * Returns the account and mode of an API key as request fields.
 *
 * @throws {ControlError} when the control API rejects the key or does not respond.
 */
export async function findAccount(control: Control, key: string): Promise<Values> {
  const { id } = toRecord(await control.call('findAccount', { key }));
  // Without an id, the control API would use the first account.
  if (typeof id !== 'string') throw createUnreadableError('findAccount');
  return { account: id, mode: modeOfKey(key) };
}

/**
 * Reads the API key and checks that it can be sent. `alternative` ends the message if there is no key.
 *
 * @throws {UsageError} when there is no key, its form is wrong, or a live key would be sent over plain http.
 */
export async function readUsableKey(session: Session, alternative?: string): Promise<string> {
  const key = await readKey(session, alternative);
  if (!/^service_(?:test|live)_./.test(key))
    throw new UsageError('The API key must start with service_test_ or service_live_.');
  if (modeOfKey(key) === 'live' && readControlUrl(session).protocol === 'http:') {
    throw new UsageError(
      'A live key is never sent over plain http. Use a test key of the mock, or account=ID and mode=live.',
    );
  }
  return key;
}
