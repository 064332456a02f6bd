/** Tells whether the name of a host, with or without the brackets of IPv6, means the machine itself. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(hostname);
}
