import { DEFAULT_BASE_URL } from '../config.ts';
import { isLoopback } from '@service/internal';
import type { Session } from '../session.ts';
import { UsageError } from '../errors.ts';

/**
 * Returns the URL of the control API: `/_sandbox` at the origin of the base URL.
 *
 * @throws {UsageError} when the base URL is invalid, or plain http would expose the token or key. The message does not
 * repeat the URL, because it can contain a password.
 */
export function readControlUrl({ environment, globals }: Session): URL {
  const { baseUrl, allowInsecureHttp = false } = globals();
  const url = toUrl(baseUrl ?? (environment.env.SERVICE_BASE_URL || DEFAULT_BASE_URL));
  if (url === undefined) {
    throw new UsageError(
      "--base-url, or SERVICE_BASE_URL, must be an http or https URL without user name and password, such as 'http://localhost:4010/api/v1'.",
    );
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || allowInsecureHttp)
    return new URL('/_sandbox', url);
  throw new UsageError(
    'Plain http would expose the token and the key. Use https, or pass --allow-insecure-http.',
  );
}

function toUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}
