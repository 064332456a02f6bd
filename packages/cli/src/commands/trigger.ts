import { findRootCause, isLoopback } from '@service/internal';
import type { PaymentStatus } from '@service/webhooks';
import { events, signedRequest } from '@service/webhooks/testing';
import { InvalidArgumentError } from 'commander';
import { argument, defineCommand, value } from '../command.ts';
import { requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import { eventNames, parseDuration, parseHttpUrl, parseId, secretFile } from '../parse.ts';
import { type DefineCommand, type Environment, exitCodes, type Session } from '../session.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

/** Defines `webhooks trigger`, which sends a signed test event to a receiver (docs/contract.md#webhooks). */
export const webhooksTriggerCommand: DefineCommand = defineCommand({
  input: {
    event: argument('name of the event, such as payment.completed', parseEvent),
    to: value('<url>', 'URL of the receiver; plain http only to this machine', undefined, {
      isRequired: true,
    }),
    secretFile,
    id: value('<id>', 'id of the payment, for a receiver that retrieves it (default: a new one)', parseId),
    timeout: value('<span>', 'maximum time of the request (default: 10s, as in the service)', parseDuration),
  },
  help: `To repeat an event, pass the same --id again.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks`,
  isVerdict: true,
  async run(session, { event: status, to = '', id, timeout = 10_000, ...input }) {
    const { clock, output } = session;
    const url = toTarget(session, to);
    // As the service creates it. A new id, so that receivers do not treat it as a duplicate.
    const event = events[status]({
      created_at: `${new Date(clock.now()).toISOString().slice(0, 19)}+00:00`,
      data: { id: id ?? `pay_test_${crypto.randomUUID().replaceAll('-', '')}` },
    });
    const secret = await requireSecret(session, input.secretFile);
    const headers = { 'user-agent': 'service-webhooks/1' };
    const request = await signedRequest(event, { secret, url: url.href, headers });
    // The query is not printed: it may contain a secret.
    const summary = { event: event.event, id: event.data.id, url: url.origin + url.pathname };
    const result = await send(request, timeout, secret, session);
    const { outcome } = result;
    await output.result({ ok: outcome === 'acknowledged', ...summary, ...result }, [
      `${summary.event}  ${summary.id}  to ${summary.url}`,
      toLine(result, output.terminal),
    ]);
    if (outcome === 'failed') output.note('The event got no response; the service would retry it.');
    if (outcome === 'refused')
      output.note('The receiver did not acknowledge the event: only status 200 does.');
    return exitCodesByOutcome[outcome];
  },
});

/** @throws {InvalidArgumentError} when the name is not that of a documented event. */
function parseEvent(text: string): PaymentStatus {
  const status = text.replace(/^payment\./, '');
  if (Object.hasOwn(events, status)) return status as PaymentStatus;
  throw new InvalidArgumentError(`Write ${eventNames.join(', ')}.`);
}

/**
 * Parses and checks the URL of a receiver. On other hosts, plain http needs `--allow-insecure-http`.
 *
 * @throws {UsageError} when the URL is not allowed. The message does not contain the URL.
 */
function toTarget({ globals }: Session, to: string): URL {
  const url = parseHttpUrl(to);
  if (url === undefined)
    throw new UsageError('--to must be an absolute http or https URL without a user name or password.');
  if (url.protocol === 'https:' || isLoopback(url.hostname) || globals().allowInsecureHttp) return url;
  throw new UsageError(
    'Plain http is allowed only for receivers on this machine. Use https, or pass --allow-insecure-http.',
  );
}

/** Maximum length of a response body that is read, in bytes, and of its part that is printed. */
const MAX_READ = 2_048;
const MAX_SHOWN = 300;

/** The result of one delivery. `failed` means that there was no response; `cause` is the reason. */
interface DeliveryResult {
  readonly outcome: 'acknowledged' | 'refused' | 'failed';
  readonly status: number | null;
  readonly duration_ms: number;
  /** The start of the response body. */
  readonly answer: string | null;
  readonly cause?: string;
}

/** A response other than 200 asks the service to send the event again. */
const exitCodesByOutcome = {
  acknowledged: exitCodes.ok,
  refused: exitCodes.refused,
  failed: exitCodes.unknown,
} as const;

/**
 * Sends a signed event once, as the service does: only status 200 acknowledges it, and redirects are not
 * followed. Never throws. A response counts once its status has arrived, even if its body does not.
 *
 * @param secret The signing secret, which is removed from a response that repeats it.
 */
async function send(
  event: Request,
  timeout: number,
  secret: string,
  { fetch = globalThis.fetch, signal: ended }: Environment,
): Promise<DeliveryResult> {
  const limit = AbortSignal.timeout(timeout);
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const signal = AbortSignal.any([ended, limit]);
    const response = await fetch(new Request(event, { redirect: 'manual', signal }));
    const { status } = response;
    const duration_ms = since();
    // The status has arrived, so a body that breaks off is no failure.
    const { bytes } = await readBodyStart(response, MAX_READ);
    const body = new TextDecoder().decode(bytes).trim();
    const text = secret === '' ? body : body.replaceAll(secret, '…');
    const answer = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    return { outcome: status === 200 ? 'acknowledged' : 'refused', status, duration_ms, answer };
  } catch (error) {
    const cause = limit.aborted ? `timed out after ${timeout} ms` : (findRootCause(error) ?? 'interrupted');
    return { outcome: 'failed', status: null, duration_ms: since(), answer: null, cause };
  }
}

function toLine({ outcome, status, duration_ms, answer, cause }: DeliveryResult, terminal: Terminal): Line {
  const outcomeText = status === null ? 'no response' : `${outcome}, HTTP ${status}`;
  return ['  ', toStatus(outcome, terminal, outcomeText), `  ${duration_ms} ms  ${cause ?? answer ?? ''}`];
}
