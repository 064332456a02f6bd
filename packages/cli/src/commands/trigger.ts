import { findRootCause, isLoopback } from '@service/internal';
import { createVerifier, type PaymentStatus, sign, WebhookError } from '@service/webhooks';
import { events } from '@service/webhooks/testing';
import { InvalidArgumentError } from 'commander';
import { argument, defineCommand, flag, preset, value } from '../command.ts';
import { requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import { eventNames, parseDuration, parseHttpUrl, parseWhole, secretFile } from '../parse.ts';
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
    data: value('<field=value>', 'field of the payment; repeatable', addField),
    times: preset('<count>', 'number of times to send the same bytes', 1, parseWhole(1, 100)),
    timeout: value('<span>', 'maximum time of each attempt (default: 10s, as in the service)', parseDuration),
    tamper: flag('change a digit after signing; the receiver must reject it'),
  },
  help: `With --tamper the event is forged: the command exits 0 if the receiver responds 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks --data send_amount=12.50`,
  isVerdict: true,
  async run(session, { event: status, to = '', data = {}, times, timeout = 10_000, tamper, ...input }) {
    const { clock, signal, output } = session;
    const url = toTarget(session, to);
    const event = createEvent(status, data, clock.now());
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

/** Fields of the payment of an event, as written by the user. */
type EventFields = Readonly<Record<string, string>>;

/** The fields that a user may set: those of the payment, and the time of the event. */
const fieldNames = ['id', 'from_currency', 'to_currency', 'send_amount', 'receive_amount', 'created_at'];

function addField(text: string, before: EventFields = {}): EventFields {
  const [, name = '', content = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (fieldNames.includes(name)) return { ...before, [name]: content };
  throw new InvalidArgumentError(
    `Write a field and its value, such as send_amount=12.50. The fields are ${fieldNames.join(', ')}.`,
  );
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

/**
 * Creates an event of test mode, as the service does (docs/contract.md#webhooks). Without an id it gets a new one, so that
 * receivers do not treat it as a duplicate.
 *
 * @throws {UsageError} when a field makes the event invalid.
 */
function createEvent(status: PaymentStatus, { created_at, ...fields }: EventFields, now: number) {
  const amounts = Object.entries(fields).map(([name, text]) => [name, parseAmount(name, text)] as const);
  const id = `pay_test_${crypto.randomUUID().replaceAll('-', '')}`;
  const event = events[status]({
    created_at: created_at ?? `${new Date(now).toISOString().slice(0, 19)}+00:00`,
    data: { id, ...Object.fromEntries(amounts) },
  });
  const body = JSON.stringify(event);
  const secret = crypto.randomUUID();
  try {
    createVerifier({ secrets: secret }).verify(body, sign(body, secret));
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new UsageError(`--data makes the event invalid: ${error.message}.`);
  }
  return event;
}

// Writes the digits of an amount unchanged. Node has rawJSON; the TypeScript types do not have it yet.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => number };

/** Parses an amount to a number with exactly its digits. Other texts stay as they are. */
function parseAmount(name: string, text: string): string | number {
  const isNumber = name.endsWith('_amount') && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
  return isNumber ? rawJSON(text) : text;
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
