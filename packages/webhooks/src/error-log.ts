import type { WebhookError } from './errors.ts';
import type { WebhookEvent } from './event.ts';

/** Writes an error to the console in one line, without the body and without the message of the cause. */
export function logError(
  { code, message, docs, cause }: WebhookError,
  event: WebhookEvent | undefined,
): void {
  // An undocumented name is text from the sender and may contain line breaks.
  const name = event?.kind === 'payment' ? ` for ${event.event}` : '';
  // oxlint-disable-next-line no-console -- the default of `onError`
  console.error(`Webhook error ${code}${name}: ${message}${formatCause(cause)} (${docs})`);
}

/**
 * Formats the name and the code of a cause, for example `Error ECONNREFUSED`. Its message may quote the body.
 */
function formatCause(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const { name, code } = cause as { readonly name?: unknown; readonly code?: unknown };
  const words = [name, code].filter((word) => typeof word === 'string' && /^\w{1,40}$/.test(word));
  return words.length === 0 ? '' : ` (cause: ${words.join(' ')})`;
}
