import { createHash, timingSafeEqual } from 'node:crypto';
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

/** The parts of a request that access checks use. */
export type AccessRequest = Pick<MockRequest, 'method' | 'header'>;

/**
 * Checks that a request to a control API without a token comes from this machine (docs/contract.md#control-api). Rejects the
 * foreign `Host` of DNS rebinding and the foreign `Origin` of another site.
 *
 * @throws {ControlError}
 */
export function checkLocal({ header }: AccessRequest): void {
  const [host, origin] = [header('host') ?? '', header('origin')];
  // Several Hosts are joined by a comma, which no loopback host contains.
  if (!isLoopbackHost(host)) throw forbidden('the hosts localhost, 127.0.0.1 and [::1]', 'Host');
  if (origin !== null && !isLoopbackOrigin(origin)) throw forbidden('pages of this machine', 'Origin');
}

/** The account and mode of the API key of a request. */
export interface KeyAccess {
  readonly account: string;
  readonly mode: Mode;
  /** Whether the key is the only credential, which limits the request to its account. Otherwise it selects the account. */
  readonly isLimited: boolean;
}

/**
 * Checks access to the control API: where a token is needed, only the token counts, because browsers do not attach it, or with
 * self-service an API key. Without one, checks where the request comes from, and accepts an API key as a bearer token too.
 * Returns the account of the key, also of `X-API-Key` beside another credential, or undefined. The first request with an
 * unused key can open its account.
 *
 * @throws {ControlError}
 */
export function authorize(access: Access, sender: AccessRequest, state: State): KeyAccess | undefined {
  const { token, isSelfService: acceptsKeys = false } = access;
  const { header, method } = sender;
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '') ?? [];
  const named = header('x-api-key') ?? undefined;
  const credential = bearer ?? named;
  const isOperator = token === null ? !API_KEY.test(bearer ?? '') : isSame(bearer ?? '', token);
  // Browsers send a preflight request without the token.
  const isLimited = !isOperator && method !== 'OPTIONS';
  if (token === null) {
    checkLocal(sender);
    // An image, script or link sends no `Origin`; then browsers name the site of the page.
    const isForeign = ['cross-site', 'same-site'].includes(header('sec-fetch-site') ?? '');
    if (isForeign && header('origin') === null)
      throw forbidden('requests with `Origin` of other pages', 'Sec-Fetch-Site');
  } else if (isLimited && (!acceptsKeys || credential === undefined)) {
    const alternative = acceptsKeys ? ', or the API key of an account for operations on it' : '';
    throw unauthenticated(
      `The control API of this sandbox needs its token${alternative}: \`Authorization: Bearer TOKEN\`. The token is set or shown at the start.`,
    );
  }
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
  if (field !== undefined && input.account !== undefined && input.account !== account) {
    const message = `An API key controls only its own account, ${account}. Leave out \`account\` or the key.`;
    throw new ControlError('forbidden', message);
  }
  if (field !== undefined) return { ...own, account };
  for (const name of Object.keys(fields)) owners[name]?.(parts, String(input[name]), account);
  return input;
}
