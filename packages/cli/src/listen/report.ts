import type { WebhookError, WebhookErrorCode, WebhookEvent } from '@service/webhooks';
import type { Hint } from '@service/webhooks/testing';
import type { ForwardResult } from './forward.ts';

/** The report of a delivery: the `--json` document and the text lines. */
export interface EventReport {
  readonly document: object;
  readonly lines: readonly string[];
}

/** The time of a delivery, and the status of the response. */
interface Facts {
  /** In ISO 8601. */
  readonly received_at: string;
  readonly answered: number;
}

/** Reports a verified event. `body` is the signed text, which has the amounts exactly as they were sent. */
export function reportEvent(
  event: WebhookEvent,
  body: Uint8Array,
  { forwarding, ...facts }: Facts & { readonly forwarding: ForwardResult | undefined },
): EventReport {
  const { event: name, created_at, data } = event;
  const outcome = forwarding && { forwarded: forwarding.outcome };
  const text = Buffer.from(body).toString('utf8');
  const head = { result: 'event', event: name, signature: 'valid', ...facts };
  const failure = forwarding?.outcome.error;
  return {
    document: { ...head, ...outcome, created_at, data, body: text },
    lines: [
      `${toStart(facts)}  ${name.padEnd(18)}  ${formatEvent(event, text)}`,
      ...(failure === undefined ? [] : [`  not forwarded: ${failure}`]),
    ],
  };
}

/** Reports a rejected delivery with the code of its error. */
export function reportRefusal(
  { code, message }: WebhookError,
  { hints, ...facts }: Facts & { readonly hints: readonly Hint[] | undefined },
): EventReport {
  const head = { result: 'refused', event: null, signature: signatureStatus(code), code, message };
  return {
    document: { ...head, ...facts, ...(hints && { hints }) },
    lines: [
      `${toStart(facts)}  REFUSED  ${message} (${code})`,
      ...(hints ?? []).map((hint) => `  probable cause: ${hint.message}`),
    ],
  };
}

function toStart({ received_at, answered }: Facts): string {
  return `${received_at}  ${answered}`;
}

function formatEvent(event: WebhookEvent, text: string): string {
  if (event.kind === 'unknown') return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  const { id, send_amount, from_currency, receive_amount, to_currency } = event.data;
  return `${id}  ${send_amount} ${from_currency} to ${receive_amount} ${to_currency}`;
}

/** The errors after the signature was verified. */
const verifiedCodes: ReadonlySet<WebhookErrorCode> = new Set([
  'invalid_utf8',
  'invalid_json',
  'invalid_event',
  'unreadable_event',
  'mode_mismatch',
]);

/** Returns the state of the signature of a rejected delivery. */
function signatureStatus(code: WebhookErrorCode): 'valid' | 'invalid' | 'unchecked' {
  if (verifiedCodes.has(code)) return 'valid';
  return code.endsWith('_signature') || code === 'signature_mismatch' ? 'invalid' : 'unchecked';
}
