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
    if (isForbiddenHost(host)) return 'link-local, unspecified and metadata addresses are never allowed';
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
  return isForbiddenHost(host) ? undefined : host;
}

/** Removes the trailing dot of a host name. */
function trimFinalDot(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || classifyAddress(host) === 'loopback';
}

function isForbiddenHost(host: string): boolean {
  return metadataHost.test(host) || classifyAddress(host) === 'forbidden';
}

function invalidUrl(origin: string, reason: string): SandboxError {
  return new SandboxError('invalid_argument', `${origin} cannot be a webhook endpoint: ${reason}.`);
}

/** Unspecified and link-local addresses, and those of cloud metadata services outside the link-local range, as digits. */
const FORBIDDEN_IPV4 = /^(?:00|a9fe|(?:646464c8|a83f8110|c00000c0)$)/;
const FORBIDDEN_IPV6 = /^(?:0{32}$|fe[89ab]|fd000ec2|fd2000ce)/;

/** Matches IPv6 addresses that contain an IPv4 address: those of 6to4, mapped ones, those of NAT64 and compatible ones. */
const WITH_IPV4 = /^(?:2002(.{8})|(?:0{20}ffff|0064ff9b.{16}|0{24}(?!0000))(.{8})$)/;

/** Returns the class of an IP address in any spelling. Returns undefined for other text, such as a host name. */
function classifyAddress(text: string): 'loopback' | 'forbidden' | 'elsewhere' | undefined {
  const digits = toDigits(text);
  if (digits === undefined) return undefined;
  const [, tunneled, ipv4 = tunneled] = WITH_IPV4.exec(digits) ?? [];
  const isForbidden = ipv4 === undefined ? FORBIDDEN_IPV6.test(digits) : FORBIDDEN_IPV4.test(ipv4);
  if (isForbidden) return 'forbidden';
  // Only a mapped address is the IPv4 address itself; the other forms pass a router.
  return /^0{20}(?:0{11}1$|ffff7f)/.test(digits) ? 'loopback' : 'elsewhere';
}

/** Parses an address into 32 hexadecimal digits. An IPv4 address becomes its mapped IPv6 address. */
function toDigits(text: string): string | undefined {
  const [address = ''] = text.replaceAll(/[[\]]/g, '').split('%');
  const host = `http://${address.includes(':') ? `[${address}]` : address}`;
  // The URL parser accepts every spelling: shortened, octal, hexadecimal and a single number.
  if (address === '' || !URL.canParse(host)) return undefined;
  const { hostname } = new URL(host);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(hostname))
    return `${pad('ffff', 24)}${hostname.replaceAll(/(\d+)\.?/g, (_, part) => pad(Number(part).toString(16), 2))}`;
  if (!hostname.startsWith('[')) return undefined;
  const [start = '', end = ''] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.replaceAll(/(\w+):?/g, (_, group: string) => pad(group, 4)));
  return start + pad(end, 32 - start.length);
}

function pad(digits: string, length: number): string {
  return digits.padStart(length, '0');
}
