import { ConfigurationError } from './errors/local-errors.ts';

/**
 * Reads the base address into its normal form, without a slash at its end.
 *
 * @throws ConfigurationError that never repeats the address, since it may hold a secret.
 */
export function parseBaseUrl(value: unknown): string {
  if (value === undefined) {
    throw new ConfigurationError(
      "baseUrl is needed, with its version segment: 'https://…/api/v1'. Pass it or set SERVICE_BASE_URL.",
    );
  }
  const url = typeof value === 'string' ? toUrl(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ConfigurationError("baseUrl must be a whole http or https address: 'https://…/api/v1'.");
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(
      'baseUrl must not hold a user name or password; the API key goes into apiKey.',
    );
  }
  if (/[?#]/.test(url.href)) throw new ConfigurationError('baseUrl must have no query and no hash.');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Tells whether an address names the machine itself, which plain http does not leave. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

function toUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
