/** Whether a host name, with or without IPv6 brackets, is a loopback address. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(hostname);
}
