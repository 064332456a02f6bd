import type { WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';

/** Writes an error to the console in one line, without the body and without text from the cause. */
export function logError({ code, message, cause }: WebhookError, event: WebhookEvent | undefined): void {
  // An undocumented name is text from the sender, which could break the line.
  const name = event?.kind === 'payment' ? ` for ${event.event}` : '';
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(`Webhook error ${code}${name}: ${message}${describeCause(cause)}`);
}

/** Names the class and the code of a cause, for example `Error ECONNREFUSED`. Its message may quote anything. */
function describeCause(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const { name, code } = cause as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^\w{1,40}$/.test(word));
  return words.length === 0 ? '' : ` Cause: ${words.join(' ')}.`;
}
