import { isIPv4 } from 'node:net';

/** Tells whether a name or an address, one of IPv6 with or without its brackets, is of this machine alone. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (isIPv4(name)) return name.startsWith('127.');
  return /^(?:localhost\.?|::1|\[::1\])$/.test(name);
}
