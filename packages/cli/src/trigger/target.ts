import type { Mode } from '@service/webhooks';
import { isLoopback } from '../loopback.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../usage-error.ts';

/** Says where an event is to go, and what was allowed. */
export type TargetOptions = { readonly to: string; readonly mode: Mode; readonly live?: true };

/**
 * Reads the address of a receiver. What leaves this machine goes over https, unless test mode was allowed plain http; an event
 * of live mode leaves it only where that was asked for, since a receiver in production would believe it.
 *
 * @throws UsageError, which does not repeat the address.
 */
export function toTarget({ globals }: Session, { to, mode, live }: TargetOptions): URL {
  const url = readUrl(to);
  if (isLoopback(url.hostname)) return url;
  const isAllowed = mode === 'test' && globals().allowInsecureHttp === true;
  if (url.protocol === 'http:' && !isAllowed) {
    const way = mode === 'test' ? ', or pass --allow-insecure-http' : '';
    throw new UsageError(`Plain http is for receivers on this machine. Use https${way}.`);
  }
  if (mode === 'live' && live !== true) {
    throw new UsageError(
      'A receiver elsewhere would take an event of live mode for real money: pass --live if that is what you want.',
    );
  }
  return url;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new UsageError('--to must be a whole http or https address, and hold no user name or password.');
}
