import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Mode } from '@service/contract';
import { isLoopback } from '@service/internal';
import { findCaller } from '../../state/accounts.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import type { State } from '../../state/state.ts';
import type { MockRequest } from '../../http/request.ts';
import type { Context, Operation } from '../operation.ts';
import { checkFault } from '../operations/faults.ts';
import { findPayment } from '../locate.ts';
import { findRequest } from '../operations/views.ts';
import { findDelivery } from '../operations/webhooks.ts';
import { ControlError } from './control-error.ts';

/** The required token, or null for access from this machine without a token. */
export interface Access {
  readonly token: string | null;
  /** Whether the API key of an account is enough for operations on that account. Needs a token. */
  readonly isSelfService?: boolean;
}

/** The cookie of a page that has sent the token once. Its name contains the port, because cookies ignore ports. */
function sessionName({ header }: AccessRequest): string {
  const [, port = ''] = /:(\d{1,5})$/.exec(header('host') ?? '') ?? [];
  return `sandbox_session_${port}`;
}

/** Derived from the token, so that the cookie does not contain it and survives a restart with the same token. */
function sessionValue(token: string): string {
  return createHmac('sha256', token).update('session of the dashboard').digest('base64url');
}

/**
 * Returns the `Set-Cookie` header that logs a page in. Scripts cannot read the cookie, and other sites do not send it. Without a
 * `Path` it belongs to the folder of the request, also below a path of a proxy.
 */
export function createSessionCookie(token: string, sender: AccessRequest): string {
  return `${sessionName(sender)}=${sessionValue(token)}; HttpOnly; SameSite=Strict`;
}

/** The parts of a request that access checks use. */
export type AccessRequest = Pick<MockRequest, 'method' | 'header'>;

/**
 * Checks access to the control API (docs/contract.md#control-api). Without a token, rejects the foreign
 * `Host` of DNS rebinding and the foreign `Origin` of another site. With a token, only the token counts,
 * because browsers do not attach it, or the session
 * cookie of the dashboard.
 *
 * @throws {ControlError}
 */
export function checkAccess({ token, isSelfService: acceptsKeys }: Access, sender: AccessRequest): void {
  if (token === null) {
    const [host, origin] = [sender.header('host') ?? '', sender.header('origin')];
    // Several Hosts are joined by a comma, which no loopback host contains.
    if (!isLoopbackHost(host)) throw forbidden('the hosts localhost, 127.0.0.1 and [::1]', 'Host');
    if (origin !== null && !isLoopbackOrigin(origin)) throw forbidden('pages of this machine', 'Origin');
    return;
  }
  // Browsers send a preflight request without the token.
  if (sender.method === 'OPTIONS' || isOperator(token, sender)) return;
  const alternative = acceptsKeys ? ', or the API key of an account for operations on it' : '';
  throw unauthenticated(
    `The control API of this sandbox needs its token${alternative}: \`Authorization: Bearer TOKEN\`. The token is set or shown at the start.`,
  );
}

/**
 * Checks that no page of another origin has sent a request without a token. An image, script or link sends no `Origin`; then
 * browsers name the site of the page.
 *
 * @throws {ControlError}
 */
function checkSite({ header }: AccessRequest): void {
  const isForeign = ['cross-site', 'same-site'].includes(header('sec-fetch-site') ?? '');
  if (!isForeign || header('origin') !== null) return;
  throw forbidden('requests with `Origin` of other pages', 'Sec-Fetch-Site');
}

/** Returns whether a request has the token or a session. */
function isOperator(token: string, sender: AccessRequest): boolean {
  const bearer = readBearer(sender);
  return hasSession(token, sender) || (bearer !== undefined && isSame(bearer, token));
}

/** The account and mode of the API key of a request. */
export interface KeyAccess {
  readonly account: string;
  readonly mode: Mode;
  /** Whether the key is the only credential, which limits the request to its account. Otherwise it selects the account. */
  readonly isLimited: boolean;
}

/**
 * Checks access like `checkAccess`, and accepts API keys: with self-service, and as a bearer token where none is required.
 * Returns the account of the key, also of `X-API-Key` beside another credential, or undefined. The first request with an
 * unused key can open its account.
 *
 * @throws {ControlError}
 */
export function authorize(access: Access, sender: AccessRequest, state: State): KeyAccess | undefined {
  const { token, isSelfService: acceptsKeys = false } = access;
  const [bearer, named] = [readBearer(sender), sender.header('x-api-key') ?? undefined];
  const credential = !acceptsKeys || token === null ? bearer : (bearer ?? named);
  const isKey = token === null ? API_KEY.test(credential ?? '') : acceptsKeys && credential !== undefined;
  const isLimited = isKey && sender.method !== 'OPTIONS' && !(token !== null && isOperator(token, sender));
  if (!isLimited || token === null) checkAccess(access, sender);
  if (token === null) checkSite(sender);
  const selected = named === undefined ? undefined : findCaller(state, named);
  const caller = isLimited ? findCaller(state, credential ?? '') : selected;
  if (isLimited && caller === undefined)
    throw unauthenticated(
      token === null
        ? 'No account has this API key. This control API needs neither a key nor a token.'
        : 'This is neither the token of the control API nor the API key of an account.',
    );
  if (isLimited && selected !== undefined && selected.account !== caller?.account)
    throw unauthenticated('Two different API keys were sent.');
  return caller && { account: caller.account.id, mode: caller.accountState.mode, isLimited };
}

/** The form of API keys. */
const API_KEY = /^service_(?:test|live)_/;

/**
 * Returns whether a page of this server sent the request with a session cookie. Pages on other ports of the same host are of
 * the same site, so that their requests carry the cookie: their origin is another one.
 */
function hasSession(token: string, sender: AccessRequest): boolean {
  const { header } = sender;
  const origin = header('origin');
  const isSameOrigin = origin === null || origin.replace(/^https?:\/\//i, '') === header('host');
  if (!isSameOrigin || !['same-origin', 'none', null].includes(header('sec-fetch-site'))) return false;
  const cookies = (header('cookie') ?? '').split(/; */).map((cookie) => cookie.split('='));
  const [, value] = cookies.find(([name]) => name === sessionName(sender)) ?? [];
  return value !== undefined && isSame(value, sessionValue(token));
}

/** Returns the origin whose pages may read the response, or undefined. */
export function findAllowedOrigin(
  { token }: Access,
  sender: AccessRequest,
  isOpen: boolean,
): string | undefined {
  const origin = sender.header('origin');
  if (origin === null) return undefined;
  return isLoopbackOrigin(origin) || (token !== null && !isOpen) ? origin : undefined;
}

function forbidden(accepted: string, header: string): ControlError {
  const message = `Without a token the control API accepts only ${accepted}. This request has another ${header}.`;
  return new ControlError('forbidden', message);
}

function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/([^/]*)$/i.exec(origin) ?? [];
  return host !== undefined && isLoopbackHost(host);
}

/** Returns whether a `Host` or the host of an `Origin` is a loopback host, with or without a port. */
function isLoopbackHost(host: string): boolean {
  const [, name] = /^(\[[^\]]*\]|[^:[\]]*)(?::\d{1,5})?$/.exec(host) ?? [];
  return name !== undefined && isLoopback(name);
}

function readBearer({ header }: AccessRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '')?.[1];
}

function unauthenticated(message: string): ControlError {
  return new ControlError('unauthenticated', message, { 'WWW-Authenticate': 'Bearer realm="sandbox"' });
}

/** Compares digests of equal length, so that the duration reveals nothing. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The checks of fields: each throws the error of an unknown id if the id belongs to another account. */
const owners: Readonly<Record<string, (context: Context, id: string, account: string) => unknown>> = {
  payment: ({ state }, id, account) => findPayment(state, id, account),
  delivery: ({ state }, id, account) => findDelivery(state, id, account),
  request: findRequest,
  fault: checkFault,
  key({ state }, key, account) {
    if (findCaller(state, key)?.account.id !== account)
      throw new SandboxError('not_found', 'The account of the API key has no such key.');
  },
};

/** Returns whether the API key of an account can run an operation on that account. Others need the token. */
export function isSelfService({ input }: Operation): boolean {
  return Object.keys(input.fields).some((name) => name === 'account' || Object.hasOwn(owners, name));
}

/**
 * Checks that the API key of an account can run an operation.
 *
 * @throws {ControlError}
 */
export function checkSelfService(operation: Operation, token: string | null): void {
  if (isSelfService(operation)) return;
  const remedy = token === null ? 'Leave out the key.' : 'It needs the token of the control API.';
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, and ${operation.id} is about the whole sandbox. ${remedy}`,
  );
}

/**
 * Limits the fields of an operation to the account of a key, or selects that account and its mode where one is left out.
 *
 * @throws {ControlError} for the id of another account
 * @throws {SandboxError} for other fields that do not belong to the account
 */
export function applyKey(
  parts: Context,
  { input: { fields } }: Operation,
  input: Readonly<Record<string, unknown>>,
  { account, mode, isLimited }: KeyAccess,
): Readonly<Record<string, unknown>> {
  const { account: field } = fields;
  // Without an account, other operations are about all accounts.
  const isSelected = field?.json['x-default'] === undefined && input.account === undefined;
  const own = field && isSelected ? { account, ...(fields.mode !== undefined && { mode }), ...input } : input;
  if (!isLimited) return own;
  if (field !== undefined) return { ...own, account: checkAccount(input.account, account) };
  for (const name of Object.keys(fields)) owners[name]?.(parts, String(input[name]), account);
  return input;
}

function checkAccount(given: unknown, account: string): string {
  if (given === undefined || given === account) return account;
  throw new ControlError(
    'forbidden',
    `An API key controls only its own account, ${account}. Leave out \`account\` or the key.`,
  );
}
