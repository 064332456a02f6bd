import type { Mode } from '@service/contract';
import { isLoopback } from '@service/internal';
import { SandboxError } from '../state/sandbox-error.ts';

/** The allowed addresses of webhook endpoints (docs/contract.md#webhooks). */
export interface AddressPolicy {
  /**
   * Checks an endpoint URL and returns its normalized form. Its message contains only
   * the origin, because a URL can contain a password.
   *
   * @throws {SandboxError}
   */
  readonly checkUrl: (text: string, mode: Mode) => string;
  /** Returns whether the URL of an endpoint is allowed in a mode. */
  readonly allows: (url: string, mode: Mode) => boolean;
  /** Returns whether a host may resolve to an IP address: a loopback host only to loopback addresses. */
  readonly allowsAddress: (hostname: string, address: string) => boolean;
}

/** Creates a policy that allows loopback hosts and the given hosts. */
export function createAddressPolicy(allowHosts: readonly string[]): AddressPolicy {
  const allowed = new Set(allowHosts.map(readHost));
  const explainRejection = ({ protocol, hostname }: URL, mode: Mode): string | undefined => {
    if (!['http:', 'https:'].includes(protocol)) return 'use an http or https URL';
    const host = trimFinalDot(hostname);
    if (isLocal(host)) return undefined;
    if (!allowed.has(host)) return OTHER_HOST;
    const isPlain = mode === 'live' && protocol === 'http:';
    return isPlain ? 'live mode requires https, except for loopback hosts' : undefined;
  };
  return {
    checkUrl(text, mode) {
      if (!URL.canParse(text)) throw invalidUrl('This URL', 'use an absolute http or https URL');
      const url = new URL(text);
      if (url.username !== '' || url.password !== '')
        throw invalidUrl('This URL', 'remove the user name and password');
      const reason = explainRejection(url, mode);
      if (reason === undefined) return url.href;
      throw invalidUrl(url.origin === 'null' ? url.protocol : url.origin, reason);
    },
    allows: (url, mode) => URL.canParse(url) && explainRejection(new URL(url), mode) === undefined,
    allowsAddress(hostname, address) {
      const host = trimFinalDot(hostname);
      return isLocal(host) ? isLocal(address) : allowed.has(host);
    },
  };
}

const OTHER_HOST =
  "only loopback hosts are allowed: localhost, 127.0.0.0/8 or [::1]. Allow others with createMock({ webhooks: { allowHosts: ['hooks.example'] } })";

/** Parses a host name or IP address without scheme, port and path. Returns undefined for an invalid host. */
export function readHost(text: unknown): string | undefined {
  if (typeof text !== 'string' || text === '' || /[\s/\\?#@*]/.test(text)) return undefined;
  const isBracketed = text.startsWith('[') && text.endsWith(']');
  const url = `http://${text.includes(':') && !isBracketed ? `[${text}]` : text}`;
  return URL.canParse(url) ? trimFinalDot(new URL(url).hostname) : undefined;
}

/** Removes the trailing dot of a host name. */
function trimFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

/** Returns whether a host name or IP address, as a URL parser or a resolver writes it, is that of this machine. */
function isLocal(host: string): boolean {
  return host.endsWith('.localhost') || isLoopback(host) || /^\[?::ffff:(?:7f[\da-f]{2}:|127\.)/.test(host);
}

function invalidUrl(origin: string, reason: string): SandboxError {
  return new SandboxError('invalid_argument', `${origin} cannot be a webhook endpoint: ${reason}.`);
}
