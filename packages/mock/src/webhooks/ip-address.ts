/** The class of an IP address: loopback, never allowed, or any other. */
export type AddressClass = 'loopback' | 'forbidden' | 'elsewhere';

/** Classifies an IP address in any spelling. Returns undefined for other text, such as a host name. */
export function classifyAddress(text: string): AddressClass | undefined {
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
  const [a, b, c, d] = bytes;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d];
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
const metadataIpv4: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192']);

/** Returns whether an address is unspecified, link-local or a metadata address. */
function isIpv4Forbidden(address: Ipv4): boolean {
  const [a, b] = address;
  return a === 0 || (a === 169 && b === 254) || metadataIpv4.has(address.join('.'));
}

function classifyIpv6(groups: readonly number[]): AddressClass {
  const [a = 0, b = 0] = groups;
  const rest = groups.slice(0, 7).every((group) => group === 0) ? groups[7] : undefined;
  if (rest === 1) return 'loopback';
  const isLinkLocal = a >= 0xfe80 && a <= 0xfebf;
  const isMetadata = (a === 0xfd00 && b === 0xec2) || (a === 0xfd20 && b === 0xce);
  return rest === 0 || isLinkLocal || isMetadata ? 'forbidden' : 'elsewhere';
}
