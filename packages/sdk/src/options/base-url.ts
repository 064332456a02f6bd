import { ConfigurationError } from '../errors/error-classes.ts';

/**
 * Parses the base URL and removes slashes at its end.
 *
 * @throws {ConfigurationError} when it is invalid. The message does not contain the URL, which may contain a
 * secret.
 */
export function parseBaseUrl(value: unknown): string {
  const url = typeof value === 'string' ? toUrl(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(url.href)) {
    throw new ConfigurationError(
      "baseUrl, or SERVICE_BASE_URL, must be an absolute http or https URL with the version segment, such as 'https://…/api/v1', without user name, password, query and hash.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function toUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
