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
  return metadataHost.test(host) || classifyAddress(host) === 'forbidden';
}

function isReachable(place: ReturnType<typeof classifyAddress>): boolean {
  return place === 'loopback' || place === 'elsewhere';
}

function invalidUrl(origin: string, reason: string): SandboxError {
  return new SandboxError('invalid_argument', `${origin} cannot be a webhook endpoint: ${reason}.`);
}
/** The class of an IP address: loopback, never allowed, or any other. */
type AddressClass = 'loopback' | 'forbidden' | 'elsewhere';

/** Classifies an IP address in any spelling. Returns undefined for other text, such as a host name. */
function classifyAddress(text: string): AddressClass | undefined {
  const groups = readGroups(text);
  if (groups === undefined) return undefined;
  const embedded = embeddedIpv4(groups);
  if (embedded === undefined) return classifyIpv6(groups);
  if (isIpv4Forbidden(embedded)) return 'forbidden';
  // Only a mapped address is the IPv4 address itself; the other forms pass a router.
  return isMapped(groups) && embedded[0] === 127 ? 'loopback' : 'elsewhere';
}

/** Parses an address into eight groups of 16 bits. An IPv4 address becomes its mapped IPv6 address. */
function readGroups(text: string): readonly number[] | undefined {
  const [address = ''] = text.replaceAll(/[[\]]/g, '').split('%');
  const host = `http://${address.includes(':') ? `[${address}]` : address}`;
  // The URL parser accepts every spelling: shortened, octal, hexadecimal and a single number.
  if (address === '' || !URL.canParse(host)) return undefined;
  const { hostname } = new URL(host);
  if (hostname.startsWith('[')) return expand(hostname.slice(1, -1));
  const bytes = /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname.split('.').map(Number) : [];
  const [a = 0, b = 0, c = 0, d] = bytes;
  return d === undefined ? undefined : [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
}

/** Expands an IPv6 address as a URL spells it. */
function expand(address: string): readonly number[] {
  const [head = '', tail] = address.split('::');
  const [first, last] = [readPart(head), readPart(tail ?? '')];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

function readPart(part: string): number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}

type Ipv4 = readonly [number, number, number, number];

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

/** Returns the IPv4 address in an IPv6 address: mapped, compatible (except :: and ::1), NAT64 or 6to4. */
function embeddedIpv4(groups: readonly number[]): Ipv4 | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  if (a === 0x2002) return toIpv4(b, c);
  if (a === 0x64 && b === 0xff9b) return toIpv4(g, h);
  const isCompatible = [a, b, c, d, e, f].every((group) => group === 0) && g !== 0;
  return isMapped(groups) || isCompatible ? toIpv4(g, h) : undefined;
}

function toIpv4(high: number, low: number): Ipv4 {
  return [high >> 8, high & 255, low >> 8, low & 255];
}

/** Addresses of cloud metadata services outside the link-local range. */
const metadataIpv4 = /^(100,100,100,200|168,63,129,16|192,0,0,192)$/;

/** Returns whether an address is unspecified, link-local or a metadata address. */
function isIpv4Forbidden(address: Ipv4): boolean {
  const [a, b] = address;
  return a === 0 || (a === 169 && b === 254) || metadataIpv4.test(String(address));
}

function classifyIpv6(groups: readonly number[]): AddressClass {
  const [a = 0, b = 0] = groups;
  const rest = groups.slice(0, 7).every((group) => group === 0) ? groups[7] : undefined;
  if (rest === 1) return 'loopback';
  const isLinkLocal = a >= 0xfe80 && a <= 0xfebf;
  const isMetadata = (a === 0xfd00 && b === 0xec2) || (a === 0xfd20 && b === 0xce);
  return rest === 0 || isLinkLocal || isMetadata ? 'forbidden' : 'elsewhere';
}
