import type { Mode } from '@service/webhooks';
import { isLoopback } from '../loopback.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

/** The options for the URL of a receiver. */
export interface TargetOptions {
  readonly to: string;
  readonly mode: Mode;
  readonly live?: true;
}

/**
 * Parses and checks the URL of a receiver. On other hosts, plain http needs `--allow-insecure-http` and test
 * mode, and a live mode event needs `--live`: a production receiver would accept it as real.
 *
 * @throws {UsageError} when the URL is not allowed. The message does not contain the URL.
 */
export function toTarget({ globals }: Session, { to, mode, live }: TargetOptions): URL {
  const url = readUrl(to);
  if (isLoopback(url.hostname)) return url;
  const isAllowed = mode === 'test' && globals().allowInsecureHttp === true;
  if (url.protocol === 'http:' && !isAllowed) {
    const alternative = mode === 'test' ? ', or pass --allow-insecure-http' : '';
    throw new UsageError(
      `Plain http is allowed only for receivers on this machine. Use https${alternative}.`,
    );
  }
  if (mode === 'live' && live !== true) {
    throw new UsageError(
      'A receiver on another host would process a live mode event as a real payment. Pass --live to send it.',
    );
  }
  return url;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new UsageError('--to must be an absolute http or https URL without a user name or password.');
}
