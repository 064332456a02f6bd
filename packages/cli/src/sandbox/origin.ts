import { DEFAULT_BASE_URL } from '../config.ts';
import { isLoopback } from '../loopback.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Reads where the control of a sandbox stands: `/_sandbox` at the origin of the base URL.
 *
 * @throws UsageError for no such address, which is not repeated, or one that plain http would show a token or key on the way to.
 */
export function readControlUrl({ environment, globals }: Session): URL {
  const { baseUrl, allowInsecureHttp = false } = globals();
  const url = toUrl(baseUrl ?? (environment.env.SERVICE_BASE_URL || DEFAULT_BASE_URL));
  if (url === undefined) {
    throw new UsageError(
      "--base-url, or SERVICE_BASE_URL, must be a whole http or https address, as 'http://localhost:4010/api/v1', and hold no user name or password.",
    );
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || allowInsecureHttp)
    return new URL('/_sandbox', url);
  throw new UsageError(
    'Plain http would show token and key to the network. Use https, or pass --allow-insecure-http.',
  );
}

function toUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' ? url : undefined;
}
