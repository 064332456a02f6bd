/** Returns whether a host name or IP address refers to this machine. IPv6 addresses can have brackets. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost\.?|\[?::1\]?|127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3})$/i.test(host);
}
