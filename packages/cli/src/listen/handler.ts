import type {
  Receiver,
  WebhookError,
  WebhookErrorCode,
  WebhookEvent,
  WebhookResponse,
} from '@service/webhooks';
import type { Hint } from '@service/webhooks/testing';
import { formatMoney } from '../table.ts';
import { LostOutputError } from '../output.ts';
import type { Part } from '../terminal.ts';
import type { Forward, ForwardResult } from './forward.ts';
import type { Explain, Inspect, Inspection } from './inspect.ts';

/** The options of `createWebhookHandler`. */
export interface WebhookHandlerOptions {
  readonly inspect: Inspect;
  /** Explains a rejected delivery. Undefined without `--explain`. */
  readonly explain: Explain | undefined;
  readonly forward: Forward | undefined;
  /** The status of the response to an event, in place of the receiver's status. */
  readonly status: number | undefined;
  /** The names of the events to print. Undefined prints all. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly counter: EventCounter;
  readonly now: () => number;
  readonly print: (report: EventReport) => Promise<void>;
  readonly note: (line: string) => void;
}

/** Handles deliveries until the stop condition is met. */
export interface WebhookHandler {
  readonly deliver: Receiver['deliver'];
  /** Resolves when the stop condition is met. Rejects when the output is lost. */
  readonly over: Promise<void>;
  /** Responds 503 to all later deliveries and aborts requests to the app. */
  readonly end: () => void;
}

/** Creates the handler of deliveries. */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const stop = new AbortController();
  let isOver = false;
  const deliver: Receiver['deliver'] = async (delivery) => {
    const received_at = new Date(options.now()).toISOString();
    const inspection = await options.inspect(delivery);
    const forwarding = isOver ? undefined : await forwardEvent(inspection, options, stop.signal);
    if (isOver) return createStoppedResponse();
    const response = selectResponse(inspection, forwarding, options);
    // Counted before the next await, so that concurrent deliveries cannot exceed --count.
    isOver = isCounted(inspection.event, forwarding, options) && options.counter.add(inspection.event);
    try {
      await printDelivery(inspection, { received_at, answered: response.status, forwarding }, options);
    } catch (error) {
      if (error instanceof LostOutputError) {
        isOver = true;
        reject(error);
        return createStoppedResponse();
      }
      options.note(`${received_at}  ${response.status}  cannot be printed: ${(error as Error).message}`);
    }
    if (isOver) resolve();
    return response;
  };
  const end = (): void => {
    isOver = true;
    stop.abort();
  };
  return { deliver, over, end };
}

async function forwardEvent(
  { event, body, headers }: Inspection,
  { forward }: WebhookHandlerOptions,
  signal: AbortSignal,
): Promise<ForwardResult | undefined> {
  if (forward === undefined || event === undefined || body === undefined) return undefined;
  return forward(body, headers, signal);
}

function selectResponse(
  { event, answer: response }: Inspection,
  forwarding: ForwardResult | undefined,
  { status }: WebhookHandlerOptions,
): WebhookResponse {
  if (event === undefined) return response;
  if (forwarding !== undefined) return forwarding.response;
  return status === undefined ? response : { ...response, status, body: '' };
}

/** Whether an event counts: it is printed, and with `--forward` the app responded 2xx. */
function isCounted(
  event: WebhookEvent | undefined,
  forwarding: ForwardResult | undefined,
  { shown }: WebhookHandlerOptions,
): event is WebhookEvent {
  if (event === undefined || shown?.has(event.event) === false) return false;
  const { status } = forwarding?.outcome ?? { status: 200 };
  return status !== undefined && status >= 200 && status < 300;
}

/** The time of a delivery, the status of the response, and with `--forward` the result of the app. */
interface Facts {
  /** In ISO 8601. */
  readonly received_at: string;
  readonly answered: number;
  readonly forwarding: ForwardResult | undefined;
}

async function printDelivery(
  inspection: Inspection,
  facts: Facts,
  options: WebhookHandlerOptions,
): Promise<void> {
  const { event, body, error, method } = inspection;
  const { received_at, answered } = facts;
  if (event !== undefined && body !== undefined) {
    if (options.shown?.has(event.event) !== false) await options.print(reportEvent(event, body, facts));
  } else if (error !== undefined) {
    const hints = await options.explain?.(inspection);
    await options.print(reportRefusal(error, { received_at, answered, hints }));
  } else {
    options.note(`${received_at}  ${answered} for ${method}: webhooks use POST.`);
  }
}

function createStoppedResponse(): WebhookResponse {
  return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'not listening' };
}

/** The number or the name of the events to wait for. Never met if both are undefined. */
export interface StopCondition {
  readonly count?: number | undefined;
  readonly until?: string | undefined;
}

export interface EventCounter {
  /** The stop condition as text. Undefined if there is none. */
  readonly condition: string | undefined;
  /** Counts an event. Returns true when the stop condition is met. */
  readonly add: (event: WebhookEvent) => boolean;
}

export function createEventCounter({ count, until }: StopCondition): EventCounter {
  let seen = 0;
  return {
    condition: count === undefined ? until && `${until} was received` : `${count} events were received`,
    add: ({ event }) => {
      seen += 1;
      return seen === count || event === until;
    },
  };
}

/** The report of a delivery: the `--json` document, the facts of its line, and further lines. */
interface EventReport {
  readonly document: object;
  readonly facts: readonly Part[];
  readonly details: readonly string[];
}

/** Reports a verified event. `body` is the signed text, which has the amounts exactly as they were sent. */
function reportEvent(event: WebhookEvent, body: Uint8Array, { forwarding, ...facts }: Facts): EventReport {
  const { event: name, created_at, data } = event;
  const outcome = forwarding && { forwarded: forwarding.outcome };
  const text = Buffer.from(body).toString('utf8');
  const head = { result: 'event', event: name, signature: 'valid', ...facts };
  const failure = forwarding?.outcome.error;
  return {
    document: { ...head, ...outcome, created_at, data, body: text },
    facts: [...toStart(facts), name.padEnd(18), ...formatEvent(event, text)],
    details: failure === undefined ? [] : [`  not forwarded: ${failure}`],
  };
}

/** Reports a rejected delivery with the code of its error. */
function reportRefusal(
  { code, message }: WebhookError,
  { hints, ...facts }: Omit<Facts, 'forwarding'> & { readonly hints: readonly Hint[] | undefined },
): EventReport {
  const head = { result: 'refused', event: null, signature: signatureStatus(code), code, message };
  return {
    document: { ...head, ...facts, ...(hints && { hints }) },
    facts: [...toStart(facts), { text: 'REFUSED', style: 'bad' }, `${message} (${code})`],
    details: (hints ?? []).map((hint) => `  probable cause: ${hint.message}`),
  };
}

function toStart({ received_at, answered }: Omit<Facts, 'forwarding'>): string[] {
  return [received_at, String(answered)];
}

function formatEvent(event: WebhookEvent, text: string): string[] {
  if (event.kind === 'unknown') return [text.length > 200 ? `${text.slice(0, 200)}…` : text];
  const { id, send_amount, from_currency, receive_amount, to_currency } = event.data;
  const amounts = `${formatMoney(send_amount, from_currency)} to ${formatMoney(receive_amount, to_currency)}`;
  return [id, amounts];
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
