import { ConfigurationError } from '../errors/local-errors.ts';

/**
 * Reads the base address into its normal form, without a slash at its end.
 *
 * @throws ConfigurationError that never repeats the address, since it may hold a secret.
 */
export function parseBaseUrl(value: unknown): string {
  const url = typeof value === 'string' ? toUrl(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(url.href)) {
    throw new ConfigurationError(
      "baseUrl, or SERVICE_BASE_URL, must be a whole http or https address with its version segment, as 'https://…/api/v1', and hold no user name, password, query or hash.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Tells whether an address names the machine itself, which plain http does not leave. */
export function isLoopback(baseUrl: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(baseUrl).hostname);
}

function toUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
