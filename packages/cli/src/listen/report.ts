import type { WebhookError, WebhookErrorCode, WebhookEvent } from '@service/webhooks';
import type { Hint } from '@service/webhooks/testing';
import type { Forwarding } from './forward.ts';

/** Holds what is shown of a delivery: the document of `--json`, and lines for a person. */
export type Report = { readonly document: object; readonly lines: readonly string[] };

/** Says when a delivery came, in ISO 8601, and with which status it was answered. */
type Facts = { readonly received_at: string; readonly answered: number };

/** Reports a genuine event; `body` is the text that was signed, in which figures are as they were sent. */
export function reportEvent(
  event: WebhookEvent,
  body: Uint8Array,
  { forwarding, ...facts }: Facts & { readonly forwarding: Forwarding | undefined },
): Report {
  const { event: name, created_at, data } = event;
  const outcome = forwarding && { forwarded: forwarding.outcome };
  const text = Buffer.from(body).toString('utf8');
  const head = { result: 'event', event: name, signature: 'valid', ...facts };
  const failure = forwarding?.outcome.error;
  return {
    document: { ...head, ...outcome, created_at, data, body: text },
    lines: [
      `${toStart(facts)}  ${name.padEnd(18)}  ${describe(event, text)}`,
      ...(failure === undefined ? [] : [`  not forwarded: ${failure}`]),
    ],
  };
}

/** Reports a delivery that is no event to act on, by the code of its error. */
export function reportRefusal(
  { code, message }: WebhookError,
  { hints, ...facts }: Facts & { readonly hints: readonly Hint[] | undefined },
): Report {
  const head = { result: 'refused', event: null, signature: judge(code), code, message };
  return {
    document: { ...head, ...facts, ...(hints && { hints }) },
    lines: [
      `${toStart(facts)}  REFUSED  ${message} (${code})`,
      ...(hints ?? []).map((hint) => `  probably: ${hint.message}`),
    ],
  };
}

function toStart({ received_at, answered }: Facts): string {
  return `${received_at}  ${answered}`;
}

function describe(event: WebhookEvent, text: string): string {
  if (event.kind === 'unknown') return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  const { id, send_amount, from_currency, receive_amount, to_currency } = event.data;
  return `${id}  ${send_amount} ${from_currency} to ${receive_amount} ${to_currency}`;
}

const signed: ReadonlySet<WebhookErrorCode> = new Set([
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'unreadable_event',
  'mode_mismatch',
]);

/** Tells what is known of the signature of a delivery that was refused. */
function judge(code: WebhookErrorCode): 'valid' | 'invalid' | 'unchecked' {
  if (signed.has(code)) return 'valid';
  return code.endsWith('_signature') || code === 'signature_mismatch' ? 'invalid' : 'unchecked';
}
