import { findRootCause, isLoopback } from '@service/internal';
import { type PaymentStatus, sign } from '@service/webhooks';
import { events } from '@service/webhooks/testing';
import { InvalidArgumentError } from 'commander';
import { argument, defineCommand, flag, preset, value } from '../command.ts';
import { requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import { eventNames, parseDuration, parseHttpUrl, parseId, parseWhole, secretFile } from '../parse.ts';
import { type DefineCommand, type Environment, type ExitCode, exitCodes, type Session } from '../session.ts';
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
    times: preset('<count>', 'number of times to send the same bytes', 1, parseWhole(1, 100)),
    timeout: value('<span>', 'maximum time of each attempt (default: 10s, as in the service)', parseDuration),
    tamper: flag('change a digit after signing; the receiver must reject it'),
  },
  help: `With --tamper the event is forged: the command exits 0 if the receiver responds 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks`,
  isVerdict: true,
  async run(session, { event: status, to = '', id, times, timeout = 10_000, tamper, ...input }) {
    const { clock, signal, output } = session;
    const url = toTarget(session, to);
    const event = createEvent(status, id, clock.now());
    const secret = await requireSecret(session, input.secretFile);
    const request = signEvent(JSON.stringify(event), secret, tamper);
    // The query is not printed: it may contain a secret.
    const summary = { event: event.event, id: event.data.id, url: url.origin + url.pathname };
    const heading = `${summary.event}  ${summary.id}  to ${summary.url}`;
    if (!output.json) await output.result(undefined, [heading]);
    const attempts: PostResult[] = [];
    while (attempts.length < times && !signal.aborted) {
      const result = await post(url, request, timeout, secret, session);
      attempts.push(result);
      if (!output.json) await output.result(undefined, [toLine(result, output.terminal)]);
    }
    const code = toExitCode(attempts, times, tamper);
    const ok = code === exitCodes.ok;
    if (output.json) await output.result({ ok, ...summary, forgery: tamper ? 'tamper' : null, attempts }, []);
    if (code === exitCodes.unknown)
      output.note('Not every event got a response; the service would retry it.');
    else if (!ok && tamper) output.note('The receiver must reject a forged event with 401, but did not.');
    else if (!ok) output.note('The receiver did not acknowledge the event: only status 200 does.');
    return code;
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

/** Creates an event as the service does (docs/contract.md#webhooks). A new id, so that receivers do not treat it as a duplicate. */
function createEvent(status: PaymentStatus, id: string | undefined, now: number) {
  return events[status]({
    created_at: `${new Date(now).toISOString().slice(0, 19)}+00:00`,
    data: { id: id ?? `pay_test_${crypto.randomUUID().replaceAll('-', '')}` },
  });
}

/**
 * Signs a body as the service does.
 *
 * @throws {WebhookError} with the code `unusable_secret` when the secret cannot sign.
 */
function signEvent(body: string, secret: string, isForged = false) {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'service-webhooks/1',
    'x-service-signature': sign(body, secret),
  };
  // The last digit changes: still a valid event, but another one.
  const changed = body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  return { headers, body: isForged ? changed : body };
}

/** Maximum length of a response body that is read, in bytes, and of its part that is printed. */
const MAX_READ = 2_048;
const MAX_SHOWN = 300;

/** The result of one delivery. `failed` means that there was no response; `cause` is the reason. */
interface PostResult {
  readonly outcome: 'acknowledged' | 'refused' | 'failed';
  readonly status: number | null;
  readonly duration_ms: number;
  /** The start of the response body. */
  readonly answer: string | null;
  readonly cause?: string;
}

/**
 * Posts a signed event once, as the service does: only status 200 acknowledges it, and redirects are not
 * followed. Never throws. A response counts once its status has arrived, even if its body does not.
 *
 * @param secret The signing secret, which is removed from a response that repeats it.
 */
async function post(
  url: URL,
  event: ReturnType<typeof signEvent>,
  timeout: number,
  secret: string,
  { fetch = globalThis.fetch, signal: ended }: Environment,
): Promise<PostResult> {
  const limit = AbortSignal.timeout(timeout);
  const start = performance.now();
  const since = (): number => Math.round(performance.now() - start);
  try {
    const signal = AbortSignal.any([ended, limit]);
    const response = await fetch(new Request(url, { method: 'POST', ...event, redirect: 'manual', signal }));
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

function toLine({ outcome, status, duration_ms, answer, cause }: PostResult, terminal: Terminal): Line {
  const outcomeText = status === null ? 'no response' : `${outcome}, HTTP ${status}`;
  return ['  ', toStatus(outcome, terminal, outcomeText), `  ${duration_ms} ms  ${cause ?? answer ?? ''}`];
}

/**
 * Returns the exit code. Every response must be 200, or 401 for a forged event (docs/contract.md#webhooks).
 */
function toExitCode(attempts: readonly PostResult[], times: number, isForged = false): ExitCode {
  const isAccepted = ({ status }: PostResult): boolean => status !== null && status >= 200 && status < 300;
  if (isForged && attempts.some(isAccepted)) return exitCodes.refused;
  if (attempts.length < times || attempts.some(({ outcome }) => outcome === 'failed'))
    return exitCodes.unknown;
  const expected = isForged ? 401 : 200;
  return attempts.every(({ status }) => status === expected) ? exitCodes.ok : exitCodes.refused;
}
