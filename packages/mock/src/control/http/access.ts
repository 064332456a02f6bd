import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '@service/internal';
import { ControlError } from './control-error.ts';
import type { ControlRequest } from './read-input.ts';

/** The required token, or null for access from this machine without a token. */
export interface Access {
  readonly token: string | null;
}

/** The cookie of a page that has sent the token once. Each port has its own, because cookies ignore ports. */
function sessionName({ header }: AccessRequest): string {
  const [, port = ''] = /:(\d{1,5})$/.exec(header('host') ?? '') ?? [];
  return `sandbox_session_${port}`;
}

/** Derived from the token, so that the cookie does not contain it and survives a restart with the same token. */
function sessionValue(token: string): string {
  return createHmac('sha256', token).update('session of the dashboard').digest('base64url');
}

/** Returns the `Set-Cookie` header that logs a page in. Scripts cannot read the cookie, and other sites do not send it. */
export function createSessionCookie(token: string, sender: AccessRequest): string {
  return `${sessionName(sender)}=${sessionValue(token)}; Path=/_sandbox; HttpOnly; SameSite=Strict`;
}

/** The parts of a request that access checks use. */
export type AccessRequest = Pick<ControlRequest, 'method' | 'header'>;

/**
 * Checks access to the control API (docs/contract.md#control-api). Without a token, rejects the foreign
 * `Host` of DNS rebinding and the foreign `Origin` of another site. With a token, only the token counts,
 * because browsers do not attach it, or the session
 * cookie of the dashboard.
 *
 * @throws {ControlError}
 */
export function checkAccess({ token }: Access, sender: AccessRequest): void {
  if (token === null) {
    checkHost(sender);
    checkOrigin(sender);
    return;
  }
  // Browsers send a preflight request without the token.
  if (sender.method !== 'OPTIONS' && !hasSession(token, sender)) checkToken(token, sender);
}

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

function checkHost({ header }: AccessRequest): void {
  // Several Hosts are joined by a comma, which no loopback host contains.
  if (isLoopbackHost(header('host') ?? '')) return;
  throw new ControlError(
    'forbidden',
    'Without a token the control API accepts only the hosts localhost, 127.0.0.1 and [::1]. This request has another Host.',
  );
}

function checkOrigin({ header }: AccessRequest): void {
  const origin = header('origin');
  if (origin === null || isLoopbackOrigin(origin)) return;
  throw new ControlError(
    'forbidden',
    'Without a token the control API accepts only pages of this machine. This request has another Origin.',
  );
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

function checkToken(token: string, { header }: AccessRequest): void {
  const [, given] = /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '') ?? [];
  if (given !== undefined && isSame(given, token)) return;
  throw new ControlError(
    'unauthenticated',
    'The control API of this sandbox needs its token: `Authorization: Bearer TOKEN`. The token is set or shown at the start.',
    { 'WWW-Authenticate': 'Bearer realm="sandbox"' },
  );
}

/** Compares digests of equal length, so that the duration reveals nothing. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
