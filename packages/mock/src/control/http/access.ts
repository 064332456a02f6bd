import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from './loopback.ts';
import { ControlError } from './control-error.ts';

/** Says who may steer a sandbox: whoever knows the token, or, where there is none, whoever is on this machine. */
export interface Access {
  readonly token: string | null;
}

/** Is what a request says of who sent it. */
export type AccessRequest = Pick<IncomingMessage, 'method' | 'headers' | 'headersDistinct'>;

/**
 * Checks that whoever sent a request may steer the sandbox (contract.md 7). Without a token the names under which a page could
 * have been led here are judged: another `Host` is what a rebound domain sends, another `Origin` what a page of elsewhere does.
 * With a token it alone decides, as no page sends it by itself. Throws `ControlRefusal`.
 */
export function checkAccess({ token }: Access, sender: AccessRequest): void {
  if (token === null) {
    checkHost(sender);
    checkOrigin(sender);
    return;
  }
  // Browsers ask whether they may send a token without it.
  if (sender.method !== 'OPTIONS') checkToken(token, sender);
}

/** Returns the origin whose pages may read an answer; undefined when there is none, or it may not. */
export function findAllowedOrigin(
  { token }: Access,
  sender: AccessRequest,
  isOpen: boolean,
): string | undefined {
  const { origin } = sender.headers;
  if (origin === undefined) return undefined;
  return isLoopbackOrigin(origin) || (token !== null && !isOpen) ? origin : undefined;
}

function checkHost({ headersDistinct: { host: hosts = [] } }: AccessRequest): void {
  const [host, ...others] = hosts;
  if (host !== undefined && others.length === 0 && isLoopbackHost(host)) return;
  throw new ControlError(
    'forbidden',
    'Without a token the control plane answers under localhost, 127.0.0.1 and [::1] alone, and this request has another Host.',
  );
}

function checkOrigin({ headers: { origin } }: AccessRequest): void {
  if (origin === undefined || isLoopbackOrigin(origin)) return;
  throw new ControlError(
    'forbidden',
    'Without a token the control plane serves pages of this machine alone, and this request has another Origin.',
  );
}

function isLoopbackOrigin(origin: string): boolean {
  const [, host] = /^https?:\/\/([^/]*)$/i.exec(origin) ?? [];
  return host !== undefined && isLoopbackHost(host);
}

/** Reads a host as `Host` and `Origin` spell it, with or without a port. */
function isLoopbackHost(host: string): boolean {
  const [, name] = /^(\[[^\]]*\]|[^:[\]]*)(?::\d{1,5})?$/.exec(host) ?? [];
  return name !== undefined && isLoopback(name);
}

function checkToken(token: string, { headers: { authorization = '' } }: AccessRequest): void {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (given !== undefined && isSame(given, token)) return;
  throw new ControlError(
    'unauthenticated',
    'The control plane of this sandbox needs its token, which it was given or showed when it started: Authorization: Bearer TOKEN.',
    { 'WWW-Authenticate': 'Bearer realm="sandbox"' },
  );
}

/** Compares by digests, which are of one length whatever was given, so that the time tells nothing. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
