import type { Mode } from '@service/contract';
import { memoize } from '@service/internal';
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
  readonly allows: Readonly<Record<Mode, (endpoint: { readonly url: string }) => boolean>>;
  /**
   * Returns whether a host may resolve to an IP address: `localhost` only to loopback addresses, an allowed
   * host to any address that is not link-local, unspecified or a metadata address.
   */
  readonly allowsAddress: (hostname: string, address: string) => boolean;
}

/** Host names of cloud metadata services, which serve credentials. */
const metadataHost =
  /^(metadata(\.(google\.internal|goog|azure\.internal))?|instance-data(\.ec2\.internal)?)$/;

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
  const allowIn = (mode: Mode): ((endpoint: { readonly url: string }) => boolean) =>
    memoize(({ url }) => URL.canParse(url) && explainRejection(new URL(url), mode) === undefined);
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
    allows: { test: allowIn('test'), live: allowIn('live') },
    allowsAddress(hostname, address) {
      const host = trimFinalDot(hostname);
      const place = classifyAddress(address);
      if (isLoopback(host)) return place === 'loopback';
      return allowed.has(host) && (place === 'loopback' || place === 'elsewhere');
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
  return metadataHost.test(host) || classifyAddress(host) === 'forbidden';
}

function invalidUrl(origin: string, reason: string): SandboxError {
  return new SandboxError('invalid_argument', `${origin} cannot be a webhook endpoint: ${reason}.`);
}

/** Unspecified and link-local addresses, and those of cloud metadata services outside the link-local range. */
const FORBIDDEN_IPV4 = /^(?:0\.|169\.254\.|(?:100\.100\.100\.200|168\.63\.129\.16|192\.0\.0\.192)$)/;

/** Returns the class of an IP address in any spelling. Returns undefined for other text, such as a host name. */
function classifyAddress(text: string): 'loopback' | 'forbidden' | 'elsewhere' | undefined {
  const groups = readGroups(text);
  if (groups === undefined) return undefined;
  const [a = 0, b = 0, c = 0, , , f, g = 0, h = 0] = groups;
  const zeros = groups.findIndex((group) => group !== 0);
  const isMapped = zeros === 5 && f === 0xffff;
  const isNat64 = a === 0x64 && b === 0xff9b;
  // An IPv4-compatible address has 6 zeros.
  const hasIpv4 = a === 0x2002 || isNat64 || isMapped || zeros === 6;
  if (hasIpv4) {
    const [high, low] = a === 0x2002 ? [b, c] : [g, h];
    const ipv4 = [high >> 8, high & 255, low >> 8, low & 255].join('.');
    if (FORBIDDEN_IPV4.test(ipv4)) return 'forbidden';
    // Only a mapped address is the IPv4 address itself; the other forms pass a router.
    return isMapped && ipv4.startsWith('127.') ? 'loopback' : 'elsewhere';
  }
  if (zeros === 7 && h === 1) return 'loopback';
  const isLinkLocal = a >= 0xfe80 && a <= 0xfebf;
  const isMetadata = (a === 0xfd00 && b === 0xec2) || (a === 0xfd20 && b === 0xce);
  return zeros < 0 || isLinkLocal || isMetadata ? 'forbidden' : 'elsewhere';
}

/** Parses an address into eight groups of 16 bits. An IPv4 address becomes its mapped IPv6 address. */
function readGroups(text: string): readonly number[] | undefined {
  const [address = ''] = text.replaceAll(/[[\]]/g, '').split('%');
  const host = `http://${address.includes(':') ? `[${address}]` : address}`;
  // The URL parser accepts every spelling: shortened, octal, hexadecimal and a single number.
  if (address === '' || !URL.canParse(host)) return undefined;
  const { hostname } = new URL(host);
  if (hostname.startsWith('[')) {
    const [first = [], last = []] = hostname
      .slice(1, -1)
      .split('::')
      .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
    return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  }
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = hostname.split('.').map(Number);
  return [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
}
