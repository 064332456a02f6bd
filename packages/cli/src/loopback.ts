/** Tells whether an address names the machine itself, which plain http does not leave. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname);
}
