import { isIPv4 } from 'node:net';

/** Returns whether a host name or IP address refers to this machine. IPv6 addresses can have brackets. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  if (isIPv4(name)) return name.startsWith('127.');
  return /^(?:localhost\.?|::1|\[::1\])$/.test(name);
}
