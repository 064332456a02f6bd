import { findRootCause, isLoopback } from '@service/internal';
import { createVerifier, type Mode, type PaymentStatus, sign, WebhookError } from '@service/webhooks';
import { events, type EventParts } from '@service/webhooks/testing';
import { InvalidArgumentError } from 'commander';
import { argument, choice, defineCommand, flag, offSwitch, preset, value } from '../command.ts';
import { modes, requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { readBodyStart } from '../input.ts';
import { eventNames, parseDuration, parseHttpUrl, parseWhole, secretFile, statusOfEvent } from '../parse.ts';
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
    mode: choice('<mode>', 'mode of the event', modes, { default: 'test' }),
    live: flag('allow an event of live mode to leave this machine'),
    times: preset('<count>', 'number of times to send the same bytes', 1, parseWhole(1, 100)),
    timeout: value('<span>', 'maximum time of each attempt (default: 10s, as in the service)', parseDuration),
    tamper: flag('change a digit after signing; the receiver must reject it', {
      conflicts: ['wrongSecret'],
    }),
    wrongSecret: flag('sign with another secret; the receiver must reject it'),
    signature: offSwitch('send no signature; the receiver must reject it', ['tamper', 'wrongSecret']),
  },
  help: `With --tamper, --wrong-secret or --no-signature the event is forged: the command exits 0 if the receiver
responds 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks --data send_amount=12.50`,
  isVerdict: true,
  async run(
    session,
    { event: status, to = '', mode = 'test', data = {}, times, timeout = 10_000, ...input },
  ) {
    const { clock, signal, output } = session;
    const forged = input.wrongSecret ? 'wrong_secret' : input.signature ? undefined : 'no_signature';
    const forgery: Forgery | undefined = input.tamper ? 'tamper' : forged;
    const url = toTarget(session, to, { mode, isLiveAllowed: input.live === true });
    const { event, id, body } = writeEvent(status, { ...data, mode }, clock.now());
    const needsSecret = forgery === undefined || forgery === 'tamper';
    const secret = needsSecret ? await requireSecret(session, input.secretFile) : '';
    const request = signEvent(body, secret, forgery);
    if (!isDocumented(status))
      output.note(`note: ${event} is not a documented event; a receiver passes it to its fallback handler.`);
    for (const name of Object.keys(data).filter((each) => !documentedFields.has(each)))
      output.note(`note: ${name} is not a documented field of an event; it is sent anyway.`);
    // The query is not printed: it may contain a secret.
    const summary = { event, id, url: url.origin + url.pathname };
    if (!output.json) await output.result(undefined, [`${event}  ${id}  to ${summary.url}`]);
    const attempts: PostResult[] = [];
    while (attempts.length < times && !signal.aborted) {
      const result = await post(url, request, timeout, secret, session);
      attempts.push(result);
      if (!output.json) await output.result(undefined, [toLine(result, output.terminal)]);
    }
    const code = toExitCode(attempts, times, forgery);
    const ok = code === exitCodes.ok;
    if (output.json) await output.result({ ok, ...summary, forgery: forgery ?? null, attempts }, []);
    if (!ok) output.note(explain(code, forgery));
    return code;
  },
});

/**
 * Returns the status of an event name. Accepts undocumented statuses after `payment.`.
 *
 * @throws {InvalidArgumentError} when the name is not `payment.…` or a documented status.
 */
function parseEvent(text: string): string {
  const status = statusOfEvent(text);
  if (status !== undefined || isDocumented(text)) return status ?? text;
  throw new InvalidArgumentError(
    `Write ${eventNames.join(', ')}, or another payment.… to test the fallback.`,
  );
}

/** Fields of the payment of an event, as written by the user. */
type EventFields = Readonly<Record<string, string>>;

const reservedFields: EventFields = {
  amount: 'Use send_amount or receive_amount.',
  status: 'The status follows from the name of the event.',
  mode: 'Use --mode for the mode.',
};

function addField(text: string, before: EventFields = {}): EventFields {
  const [, name, content] = /^([a-z]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || content === undefined)
    throw new InvalidArgumentError('Write a field and its value, such as send_amount=12.50.');
  if (Object.hasOwn(reservedFields, name)) throw new InvalidArgumentError(reservedFields[name] ?? '');
  return { ...before, [name]: content };
}

/** The kinds of forged events: a digit changed after signing, another secret, no signature. */
type Forgery = 'tamper' | 'wrong_secret' | 'no_signature';

/**
 * Parses and checks the URL of a receiver. On other hosts, plain http needs `--allow-insecure-http` and test
 * mode, and a live mode event needs `--live`: a production receiver would accept it as real.
 *
 * @throws {UsageError} when the URL is not allowed. The message does not contain the URL.
 */
function toTarget(
  { globals }: Session,
  to: string,
  { mode, isLiveAllowed }: { readonly mode: Mode; readonly isLiveAllowed: boolean },
): URL {
  const url = parseHttpUrl(to);
  if (url === undefined)
    throw new UsageError('--to must be an absolute http or https URL without a user name or password.');
  if (isLoopback(url.hostname)) return url;
  if (url.protocol === 'http:' && (mode === 'live' || globals().allowInsecureHttp !== true)) {
    const alternative = mode === 'test' ? ', or pass --allow-insecure-http' : '';
    throw new UsageError(
      `Plain http is allowed only for receivers on this machine. Use https${alternative}.`,
    );
  }
  if (mode === 'live' && !isLiveAllowed)
    throw new UsageError(
      'A receiver on another host would process a live mode event as a real payment. Pass --live to send it.',
    );
  return url;
}

/** The fields that a user may set: those of the payment, and the time of the event. */
const documentedFields: ReadonlySet<string> = new Set(
  'id from_currency to_currency send_amount receive_amount created_at'.split(' '),
);

// Writes the digits of an amount unchanged. Node has rawJSON; the TypeScript types do not have it yet.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => number };

/**
 * Writes an event as the service does (docs/contract.md#webhooks). Without an id it gets a new one, so that
 * receivers do not treat it as a duplicate.
 *
 * @throws {UsageError} when a field makes the event invalid.
 */
function writeEvent(
  status: string,
  { mode = 'test', created_at, ...fields }: EventFields,
  now: number,
): { readonly event: string; readonly id: string; readonly body: string } {
  const amounts = Object.entries(fields).map(([name, text]) => [name, parseAmount(name, text)] as const);
  const id = `pay_${mode}_${crypto.randomUUID().replaceAll('-', '')}`;
  const parts = {
    created_at: created_at ?? `${new Date(now).toISOString().slice(0, 19)}+00:00`,
    data: { id, ...Object.fromEntries(amounts), mode } as EventParts['data'],
  };
  const pending = events.pending(parts);
  const event = isDocumented(status)
    ? events[status](parts)
    : { ...pending, event: `payment.${status}`, data: { ...pending.data, status } };
  const body = JSON.stringify(event);
  const secret = crypto.randomUUID();
  try {
    createVerifier({ secrets: secret }).verify(body, sign(body, secret));
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new UsageError(`--data makes the event invalid: ${error.message}.`);
  }
  return { event: event.event, id: event.data.id, body };
}

/** Whether the service documents an event for the status. */
function isDocumented(status: string): status is PaymentStatus {
  return Object.hasOwn(events, status);
}

/**
 * Parses an amount: digits become a number with exactly these digits, quoted digits become text
 * (docs/contract.md#profile-settings). Other fields stay as they are.
 */
function parseAmount(name: string, text: string): string | number {
  if (!name.endsWith('_amount')) return text;
  const [, quoted] = /^"(.*)"$/.exec(text) ?? [];
  return quoted ?? (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? rawJSON(text) : text);
}

/**
 * Signs a body as the service does, or forges it.
 *
 * @throws {WebhookError} with the code `unusable_secret` when the secret cannot sign.
 */
function signEvent(body: string, secret: string, forgery: Forgery | undefined) {
  const headers = { 'content-type': 'application/json', 'user-agent': 'service-webhooks/1' };
  if (forgery === 'no_signature') return { headers, body };
  const key = forgery === 'wrong_secret' ? crypto.randomUUID() : secret;
  // The last digit changes: still a valid event, but another one.
  const changed = body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  return {
    headers: { ...headers, 'x-service-signature': sign(body, key) },
    body: forgery === 'tamper' ? changed : body,
  };
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
function toExitCode(attempts: readonly PostResult[], times: number, forgery: Forgery | undefined): ExitCode {
  const isAccepted = ({ status }: PostResult): boolean => status !== null && status >= 200 && status < 300;
  if (forgery !== undefined && attempts.some(isAccepted)) return exitCodes.refused;
  if (attempts.length < times || attempts.some(({ outcome }) => outcome === 'failed'))
    return exitCodes.unknown;
  const expected = forgery === undefined ? 200 : 401;
  return attempts.every(({ status }) => status === expected) ? exitCodes.ok : exitCodes.refused;
}

function explain(code: ExitCode, forgery: Forgery | undefined): string {
  if (code === exitCodes.unknown) return 'Not every event got a response; the service would retry it.';
  if (forgery === undefined) return 'The receiver did not acknowledge the event: only status 200 does.';
  return 'The receiver must reject a forged event with 401, but did not.';
}
