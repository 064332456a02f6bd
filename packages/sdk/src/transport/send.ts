import { AbortError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import type { ErrorFacts, ServiceError } from '../errors/service-error.ts';
import type { ApiKey } from '../key.ts';
import type { AuthScheme, Settings } from '../options.ts';
import { askKey } from './admit-key.ts';
import { type Answer, pickFacts, toAnswer } from './answer.ts';
import { warnOfDeprecation } from '../warnings.ts';
import type { Clock } from './clock.ts';
import { type Deadline, type DeadlineOptions, startDeadline, type Stop } from './deadline.ts';
import { outcomeOfFailure } from './outcome.ts';
import { checkTarget } from './path.ts';
import type { Progress } from './progress.ts';
import { receive, toOversized } from './receive.ts';
import { seal } from './seal.ts';

/** Holds what every request of a client goes through. */
export type Transport = { readonly settings: Settings; readonly clock: Clock };

/** Holds what one request may take, and the record of how far it came. */
export type Attempt = DeadlineOptions & { readonly progress: Progress };

/** Holds what is known of a request while it is being sent. */
type Sending = { readonly progress: Progress; readonly deadline: Deadline; secret?: string };

/**
 * Sends one request, once: asks for the key, checks where the request goes, signs it, carries it, reads the answer.
 *
 * @throws ServiceError whose `outcome` says what may have become of the request.
 */
export async function send(request: Request, attempt: Attempt, transport: Transport): Promise<Answer> {
  const { settings, clock } = transport;
  const { progress } = attempt;
  const deadline = startDeadline(attempt, clock);
  const sending: Sending = { progress, deadline };
  try {
    const key = await prepare(sending, () => askKey(settings));
    sending.secret = key.secret;
    checkTarget(request.url, settings.baseUrl, key.mode);
    const signed = sign(request, key, { auth: settings.auth, signal: deadline.signal });
    const sealed = await prepare(sending, () => seal(signed));
    checkDeadline(sending);
    depart(progress, clock);
    const response = await takeStep(sending, () => dispatch(sealed, sending, settings));
    const whole = await takeStep(sending, () => receive(response, progress, deadline.signal));
    if (!whole) throw toOversized(progress);
    return toAnswer(response, progress, key);
  } finally {
    deadline.end();
  }
}

/** Takes a step before anything is sent; what the step throws stays as it is. */
async function prepare<T>(sending: Sending, step: () => Promise<T>): Promise<T> {
  checkDeadline(sending);
  try {
    return await sending.deadline.race(step());
  } catch (error) {
    checkDeadline(sending);
    throw error;
  }
}

/** Goes no further once the deadline has passed or the signal was aborted. */
function checkDeadline(sending: Sending): void {
  const stop = sending.deadline.stopped();
  if (stop !== undefined) throw toStopError(stop, sending);
}

function sign(
  request: Request,
  { secret }: ApiKey,
  { auth, signal }: { auth: AuthScheme; signal: AbortSignal },
): Request {
  const headers = new Headers(request.headers);
  // One header with a key: two that differ would be refused.
  headers.delete('authorization');
  headers.delete('x-api-key');
  headers.set('accept', 'application/json');
  if (auth === 'bearer') headers.set('authorization', `Bearer ${secret}`);
  else headers.set('x-api-key', secret);
  return new Request(request, { headers, signal, redirect: 'manual' });
}

function depart(progress: Progress, clock: Clock): void {
  progress.phase = 'waiting';
  progress.attempts += 1;
  progress.sentAt = clock.date().toISOString();
}

function arrive(progress: Progress, response: Response): void {
  progress.phase = 'reading';
  progress.status = response.status;
  progress.requestId = response.headers.get('x-request-id') ?? undefined;
}

/** Takes a step on the wire; whatever ends it becomes an error that says how far the request had come. */
async function takeStep<T>(sending: Sending, step: () => Promise<T>): Promise<T> {
  try {
    return await sending.deadline.race(step());
  } catch (cause) {
    checkDeadline(sending);
    throw toConnectionError(cause, sending);
  }
}

async function dispatch(
  request: Request,
  sending: Sending,
  { fetch, baseUrl, warn }: Settings,
): Promise<Response> {
  const response = await fetch(request);
  if (response.type === 'error') throw new Error('fetch gave an error in place of an answer');
  // A fetch that does not listen to its signal may still answer; nobody waits for that body.
  if (sending.deadline.stopped() !== undefined) void response.body?.cancel().catch(ignore);
  else arrive(sending.progress, response);
  warnOfDeprecation(response.headers, baseUrl, warn);
  return response;
}

function toStopError(stop: Stop, { progress }: Sending): ServiceError {
  const early = progress.phase === 'preparing';
  const facts: ErrorFacts = { ...pickFacts(progress), outcome: early ? 'not_sent' : 'unknown' };
  if (stop.kind === 'abort') {
    return new AbortError('The call was aborted by its signal.', { ...facts, cause: stop.reason });
  }
  const late = 'The answer did not arrive in time.';
  const unsent = 'The time ran out before the request left; nothing was sent. Does the apiKey function hang?';
  return new TimeoutError(early ? unsent : late, facts);
}

function toConnectionError(cause: unknown, { progress, secret }: Sending): ConnectionError {
  const outcome = progress.phase === 'waiting' ? outcomeOfFailure(cause) : 'unknown';
  const message =
    outcome === 'not_sent'
      ? 'The service could not be reached; nothing was sent.'
      : 'The connection failed before the answer was complete.';
  return new ConnectionError(message, {
    ...pickFacts(progress),
    outcome,
    cause: redactCause(cause, secret),
  });
}

function ignore(): void {}
