import { UnreadableResponseError } from '../errors/answer-errors.ts';
import { AbortError, ConfigurationError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { cleanText } from '../errors/clean-text.ts';
import { redactCause, redactText } from '../errors/redact.ts';
import type { ServiceError } from '../errors/service-error.ts';
import { type HeaderFields, reserved } from '../options/headers.ts';
import { type RequestFacts, runHook } from '../options/hooks.ts';
import { maskBody } from '../options/log.ts';
import type { Settings } from '../options/options.ts';
import { warnOfDeprecation } from '../options/warnings.ts';
import { askKey } from './admit-key.ts';
import { type Answer, toAnswer } from './answer.ts';
import type { Clock } from './clock.ts';
import type { KnownPayments } from './known-payments.ts';
import { type CheckDeadline, limit, type Stop } from './limit.ts';
import { outcomeOfFailure } from './outcome.ts';
import { pickFacts, type Progress, type Stage, startStage } from './progress.ts';
import { receive } from './receive.ts';
import { type Draft, toInit } from './request.ts';

/** The parts that all requests of a client share. */
export type Transport = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly known: KnownPayments;
};

/** Holds one request to send, what it may take, and the record of its call. */
export type Attempt = {
  readonly draft: Draft;
  readonly progress: Progress;
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
};

/**
 * Sends one request, once: asks for the key, checks where the request goes, signs it, carries it, and has the answer read, all
 * within its time.
 *
 * @throws ServiceError whose `outcome` says what may have become of the request.
 */
export function attempt<T>(
  one: Attempt,
  transport: Transport,
  read: (answer: Answer) => T | Promise<T>,
): Promise<T> {
  const stage = (one.progress.stage = startStage());
  return limit(
    { timeout: one.timeout, signal: one.signal, clock: transport.clock },
    async (signal, checkDeadline) => read(await carry(one, { stage, signal, checkDeadline, ...transport })),
    (stop) => toStopError(stop, one),
  );
}

type Underway = Transport & {
  readonly stage: Stage;
  readonly signal: AbortSignal;
  readonly checkDeadline: CheckDeadline;
};

async function carry({ draft, progress }: Attempt, underway: Underway): Promise<Answer> {
  const { stage, signal, checkDeadline, settings, clock } = underway;
  const { apiKey, hooks, log } = settings;
  const key = typeof apiKey === 'function' ? await askKey(settings) : apiKey;
  checkDeadline();
  draft.check?.(key.mode);
  const { operation, method, url } = draft;
  const facts = { operation, method, url, attempt: progress.attempts + 1 };
  const headers = hooks.onRequest ? await askHook(draft.headers, facts, settings) : draft.headers;
  const send = settings.toSend(url, toInit(draft, sign(headers, key.secret, settings), signal));
  // Nothing but the clock may run between this check and `fetch`: the key, a hook or a suspension can have used up the time.
  checkDeadline();
  // After a suspension, the lease or the retention of the key may have ended although the timer has not run.
  if (draft.isTooLate?.()) throw toLateError(progress);
  stage.phase = 'waiting';
  progress.attempts += 1;
  progress.sentAt ??= clock.date();
  const start = clock.now();
  const exchanging = exchange(send, { draft, progress, secret: key.secret, ...underway });
  log('debug', () => [`${method} ${url} is sent`, { ...facts, body: maskBody(draft.body) }]);
  const response = await exchanging;
  throwIfEnded(signal);
  warnOfDeprecation(response.headers, settings);
  const { status } = response;
  const seen = { ...facts, status, requestId: stage.requestId, duration: clock.now() - start };
  log('info', () => [`${method} ${url} answered ${status}`, seen]);
  if (hooks.onResponse) {
    await runHook(hooks, 'onResponse', { ...seen, headers: response.headers }).catch(({ message, cause }) => {
      // What fails here leaves open what the answer would have said.
      throw new ConfigurationError(message, { ...pickFacts(progress), outcome: 'unknown', cause });
    });
  }
  return toAnswer(response, progress, { key, sent: draft.body });
}

function toLateError(progress: Progress): TimeoutError {
  return new TimeoutError(
    'The request was not sent: the lease of its reference, or the time for which the service keeps its key, has ended.',
    { ...pickFacts(progress), outcome: 'not_sent' },
  );
}

/** Throws if the call has already rejected, so that its hooks hear of no response. */
function throwIfEnded(signal: AbortSignal): void {
  if (signal.aborted) throw new Error('The call has ended.');
}

/**
 * Lets the hook add headers. It is not shown the key that an earlier attempt was signed with, and what the client sets stays:
 * another idempotency key with each try would pay twice.
 */
async function askHook(
  fields: HeaderFields,
  facts: RequestFacts,
  { hooks }: Settings,
): Promise<HeaderFields> {
  const headers = new Headers(fields);
  await runHook(hooks, 'onRequest', { ...facts, headers });
  return { ...pickFields([...headers], false), ...pickFields(Object.entries(fields), true) };
}

function pickFields(entries: [string, string][], isReserved: boolean): HeaderFields {
  return Object.fromEntries(entries.filter(([name]) => reserved.test(name) === isReserved));
}

/** Turns headers into fields, without a key: two that differ would be refused. */
export function toFields(headers: Headers): HeaderFields {
  headers.delete('authorization');
  headers.delete('x-api-key');
  return Object.fromEntries(headers);
}

function sign(headers: HeaderFields, secret: string, { auth }: Settings): HeaderFields {
  const accept = 'application/json';
  return auth === 'bearer'
    ? { ...headers, accept, authorization: `Bearer ${secret}` }
    : { ...headers, accept, 'x-api-key': secret };
}

type Exchange = Underway & { readonly draft: Draft; readonly progress: Progress; readonly secret: string };

/** Takes a request to the service and its answer back; what ends it becomes an error that says how far it had come. */
async function exchange(
  send: () => Promise<Response>,
  { draft, progress, secret, stage, signal }: Exchange,
): Promise<Response> {
  let whole: boolean;
  let response: Response;
  try {
    response = await send();
    if (response.type === 'error') throw new Error('fetch gave an error in place of an answer');
    // A fetch that does not listen to its signal may still answer; nobody waits for that body.
    if (signal.aborted) await response.body?.cancel();
    stage.phase = 'reading';
    stage.status = response.status;
    const requestId = response.headers.get('x-request-id');
    stage.requestId = requestId === null ? undefined : cleanText(redactText(requestId, secret), 200);
    whole = await receive(response, stage, { signal, piecewise: draft.once !== undefined });
  } catch (cause) {
    const outcome = stage.phase === 'waiting' ? outcomeOfFailure(cause) : 'unknown';
    const message =
      outcome === 'not_sent'
        ? 'The service could not be reached; nothing was sent.'
        : 'The connection failed before the answer was complete.';
    throw new ConnectionError(message, {
      ...pickFacts(progress),
      outcome,
      cause: redactCause(cause, secret),
    });
  }
  if (whole) return response;
  const facts = { ...pickFacts(progress), outcome: 'unknown' } as const;
  throw new UnreadableResponseError('The answer cannot be read: it is larger than 8 MiB.', facts);
}

function toStopError(stop: Stop, { progress, signal }: Attempt): ServiceError {
  const early = progress.stage.phase === 'preparing';
  const facts = { ...pickFacts(progress), outcome: early ? 'not_sent' : 'unknown' } as const;
  if (stop === 'abort') {
    return new AbortError('The call was aborted by its signal.', { ...facts, cause: signal?.reason });
  }
  return new TimeoutError(
    early
      ? 'The time ran out before the request left; nothing was sent. Does the apiKey function hang?'
      : 'The answer did not arrive in time.',
    facts,
  );
}
