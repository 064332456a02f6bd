import type { Mode } from '@service/contract';
import { SandboxError } from '../state/sandbox-error.ts';
import { classifyAddress } from './ip-address.ts';

/** The allowed addresses of webhook endpoints (docs/contract.md#webhooks). */
export interface AddressPolicy {
  /**
   * Checks an endpoint URL and returns its normalized form. Its message contains only
   * the origin, because a URL can contain a password.
   *
   * @throws {SandboxError}
   */
  readonly checkUrl: (text: string, mode: Mode) => string;
  /** Returns whether an endpoint URL is allowed. */
  readonly allowsUrl: (url: string, mode: Mode) => boolean;
  /**
   * Returns whether a host may resolve to an IP address: `localhost` only to loopback addresses, an allowed
   * host to any address that is not link-local, unspecified or a metadata address.
   */
  readonly allowsAddress: (hostname: string, address: string) => boolean;
}

/** Host names of cloud metadata services, which serve credentials. */
const metadataHosts: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Creates a policy that allows loopback hosts and the given hosts. */
export function createAddressPolicy(allowHosts: readonly string[]): AddressPolicy {
  const allowed = new Set(allowHosts.flatMap((host) => readHost(host) ?? []));
  const explainRejection = ({ protocol, hostname }: URL, mode: Mode): string | undefined => {
    if (!['http:', 'https:'].includes(protocol)) return 'use an http or https URL';
    const host = trimFinalDot(hostname);
    if (isForbidden(host)) return 'link-local, unspecified and metadata addresses are never allowed';
    if (isLoopback(host)) return undefined;
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
    allowsUrl: (url, mode) => URL.canParse(url) && explainRejection(new URL(url), mode) === undefined,
    allowsAddress(hostname, address) {
      const host = trimFinalDot(hostname);
      const place = classifyAddress(address);
      return isLoopback(host) ? place === 'loopback' : allowed.has(host) && isReachable(place);
    },
  };
}

const OTHER_HOST =
  "only loopback hosts are allowed: localhost, 127.0.0.0/8 or [::1]. Allow another host with createMock({ webhooks: { allowHosts: ['hooks.example'] } })";

/**
 * Parses a host name or IP address without scheme, port and path. Returns undefined for an invalid or
 * forbidden host.
 */
export function readHost(text: unknown): string | undefined {
  if (typeof text !== 'string' || /[\s/\\?#@*]/.test(text)) return undefined;
  const isBracketed = text.startsWith('[') && text.endsWith(']');
  const url = `http://${text.includes(':') && !isBracketed ? `[${text}]` : text}`;
  if (text === '' || !URL.canParse(url)) return undefined;
  const host = trimFinalDot(new URL(url).hostname);
  return isForbidden(host) ? undefined : host;
}

/** Removes the trailing dot of a host name. */
function trimFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || classifyAddress(host) === 'loopback';
}

function isForbidden(host: string): boolean {
  return metadataHosts.has(host) || classifyAddress(host) === 'forbidden';
}

function isReachable(place: ReturnType<typeof classifyAddress>): boolean {
  return place === 'loopback' || place === 'elsewhere';
}

function invalidUrl(origin: string, reason: string): SandboxError {
  return new SandboxError('invalid_argument', `${origin} cannot be a webhook endpoint: ${reason}.`);
}
