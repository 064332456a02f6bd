import {
  createReceiver,
  type Receiver,
  type VerifierOptions,
  type WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookRequest,
  type WebhookResponse,
} from '@service/webhooks';
import { LostOutputError } from '../output.ts';
import { formatMoney } from '../table.ts';
import type { Part } from '../terminal.ts';
import type { Forward, ForwardResult } from './server.ts';

/** The options of `createWebhookHandler`. */
export interface WebhookHandlerOptions {
  readonly verifier: VerifierOptions;
  /** Prints the probable causes of a rejected delivery. */
  readonly canExplain: boolean;
  readonly forward: Forward | undefined;
  /** The status of the response to an event, in place of the receiver's status. */
  readonly status: number | undefined;
  /** The names of the events to print. Undefined prints all. */
  readonly shown: ReadonlySet<string> | undefined;
  /** Counts an event. Returns true when the stop condition is met. */
  readonly count: (event: WebhookEvent) => boolean;
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

/** The report of a delivery: the `--json` document, the facts of its line, and further lines. */
interface EventReport {
  readonly document: object;
  readonly facts: readonly Part[];
  readonly details: readonly string[];
}

const ignore = (): void => {};

/**
 * Creates the handler of deliveries.
 *
 * @throws {WebhookError} when the secret cannot be used, or with `canExplain` in production.
 */
export async function createWebhookHandler(options: WebhookHandlerOptions): Promise<WebhookHandler> {
  const { canExplain, forward, status, shown, count, now, print, note } = options;
  // Validates the secret once, before the first delivery.
  createReceiver({ ...options.verifier, on: {}, fallback: ignore });
  const verifier = { ...options.verifier, onWarning: ignore };
  const { explain } = await import('@service/webhooks/testing');
  if (canExplain) await explain('', '', verifier);
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const stop = new AbortController();
  let isOver = false;
  const stopped = {
    status: 503,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'not listening',
  };
  const report = async (inspection: Inspection, facts: Facts): Promise<void> => {
    const { event, body, error, method, headers } = inspection;
    if (event !== undefined && body !== undefined) {
      if (shown?.has(event.event) !== false) await print(reportEvent(event, body, facts));
    } else if (error === undefined) {
      note(`${facts.received_at}  ${facts.answered} for ${method}: webhooks use POST.`);
    } else {
      const found = canExplain && body !== undefined ? (await explain(body, headers, verifier)).hints : [];
      await print(reportRefusal(error, facts, canExplain ? found : undefined));
    }
  };
  const deliver: Receiver['deliver'] = async (delivery) => {
    const received_at = new Date(now()).toISOString();
    const inspection = await inspect(delivery, verifier);
    const { event, body, headers } = inspection;
    const isForwarded = !isOver && forward !== undefined && event !== undefined && body !== undefined;
    const forwarding = isForwarded ? await forward(body, headers, stop.signal) : undefined;
    if (isOver) return stopped;
    let response = forwarding?.response ?? inspection.answer;
    if (event !== undefined && forwarding === undefined && status !== undefined)
      response = { ...response, status, body: '' };
    // Counted before the next await, so that concurrent deliveries cannot exceed --count.
    const { status: received = forwarding === undefined ? 200 : 502 } = forwarding?.outcome ?? {};
    const isCounted = received >= 200 && received < 300 && event !== undefined;
    isOver = isCounted && shown?.has(event.event) !== false && count(event);
    try {
      await report(inspection, { received_at, answered: response.status, forwarding });
    } catch (error) {
      if (error instanceof LostOutputError) {
        isOver = true;
        reject(error);
        return stopped;
      }
      note(`${received_at}  ${response.status}  cannot be printed: ${(error as Error).message}`);
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

/** A delivery with its verified event or its error. It has neither if the method is not POST. */
interface Inspection {
  readonly method: string;
  readonly headers: WebhookRequest['headers'];
  /** The raw body. Undefined if it was not read completely. */
  readonly body: Uint8Array | undefined;
  readonly event: WebhookEvent | undefined;
  readonly error: WebhookError | undefined;
  /** The response of a receiver of `@service/webhooks`. */
  readonly answer: WebhookResponse;
}

/** Verifies a delivery as a receiver does, without deduplication: a new receiver has an empty store. */
async function inspect(
  { method, headers, read }: WebhookRequest,
  verifier: VerifierOptions,
): Promise<Inspection> {
  let event: WebhookEvent | undefined;
  let error: WebhookError | undefined;
  let body: Uint8Array | undefined;
  const receive = createReceiver({
    ...verifier,
    on: {},
    fallback: (given) => void (event = given),
    onError: (given) => void (error = given),
  });
  const readAndKeep: WebhookRequest['read'] = async (maxBytes, onTooLarge) =>
    // The adapter of node:http returns bytes.
    (body = (await read(maxBytes, onTooLarge)) as Uint8Array);
  const answer = await receive.deliver({ method, headers, read: readAndKeep });
  return { method, headers, body, event, error, answer };
}

/** The time of a delivery, the status of the response, and with `--forward` the result of the app. */
interface Facts {
  /** In ISO 8601. */
  readonly received_at: string;
  readonly answered: number;
  readonly forwarding: ForwardResult | undefined;
}

/** Reports a verified event. `body` is the signed text, which has the amounts exactly as they were sent. */
function reportEvent(event: WebhookEvent, body: Uint8Array, { forwarding, ...facts }: Facts): EventReport {
  const { event: name, created_at, data } = event;
  const text = Buffer.from(body).toString('utf8');
  const failure = forwarding?.outcome.error;
  return {
    document: {
      result: 'event',
      event: name,
      signature: 'valid',
      ...facts,
      ...(forwarding && { forwarded: forwarding.outcome }),
      created_at,
      data,
      body: text,
    },
    facts: [facts.received_at, String(facts.answered), name.padEnd(18), ...formatEvent(event, text)],
    details: failure === undefined ? [] : [`  not forwarded: ${failure}`],
  };
}

function formatEvent(event: WebhookEvent, text: string): string[] {
  if (event.kind === 'unknown') return [text.length > 200 ? `${text.slice(0, 200)}…` : text];
  const { id, send_amount, from_currency, receive_amount, to_currency } = event.data;
  return [id, `${formatMoney(send_amount, from_currency)} to ${formatMoney(receive_amount, to_currency)}`];
}

/** Reports a rejected delivery with the code of its error. */
function reportRefusal(
  { code, message }: WebhookError,
  { received_at, answered }: Facts,
  hints: readonly { readonly message: string }[] | undefined,
): EventReport {
  const signature = signatureStatus(code);
  return {
    document: {
      result: 'refused',
      event: null,
      signature,
      code,
      message,
      received_at,
      answered,
      ...(hints && { hints }),
    },
    facts: [received_at, String(answered), { text: 'REFUSED', style: 'bad' }, `${message} (${code})`],
    details: (hints ?? []).map((hint) => `  probable cause: ${hint.message}`),
  };
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
