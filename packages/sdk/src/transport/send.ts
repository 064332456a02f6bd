import { AbortError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import type { ErrorFacts, ServiceError } from '../errors/service-error.ts';
import type { ApiKey } from '../key.ts';
import type { AuthScheme, Settings } from '../options.ts';
import { askKey } from './admit-key.ts';
import { type Answer, pickFacts, toAnswer } from './answer.ts';
import type { Clock } from './clock.ts';
import { type Deadline, type DeadlineOptions, startDeadline, type Stop } from './deadline.ts';
import { outcomeOfFailure } from './outcome.ts';
import { checkTarget } from './path.ts';
import type { Progress } from './progress.ts';

/** Holds what every request of a client goes through. */
export type Transport = { readonly settings: Settings; readonly clock: Clock };

/** Holds what one request may take, and the record of how far it came. */
export type Attempt = DeadlineOptions & { readonly progress: Progress };

/** Holds a request on its way. */
type Trip = { readonly progress: Progress; readonly deadline: Deadline; secret?: string };

/**
 * Sends one request, once: asks for the key, checks where the request goes, signs it, carries it, reads the answer.
 *
 * @throws ServiceError whose `outcome` says what may have become of the request.
 */
export async function send(request: Request, attempt: Attempt, transport: Transport): Promise<Answer> {
  const { settings, clock } = transport;
  const { progress } = attempt;
  const deadline = startDeadline(attempt, clock);
  const trip: Trip = { progress, deadline };
  try {
    const key = await prepare(trip, settings);
    checkTarget(request.url, settings.baseUrl, key.mode);
    const signed = sign(request, key, { auth: settings.auth, signal: deadline.signal });
    halt(trip);
    depart(progress, clock);
    const response = await carry(trip, () => dispatch(signed, trip, settings));
    await carry(trip, () => readBody(response, trip));
    return toAnswer(response, progress, key);
  } finally {
    deadline.end();
  }
}

async function prepare(trip: Trip, settings: Settings): Promise<ApiKey> {
  halt(trip);
  try {
    const key = await trip.deadline.race(askKey(settings));
    trip.secret = key.secret;
    return key;
  } catch (error) {
    halt(trip);
    throw error;
  }
}

/** Goes no further once the deadline has passed or the signal was aborted. */
function halt(trip: Trip): void {
  const stop = trip.deadline.stopped();
  if (stop !== undefined) throw toStopError(stop, trip);
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
async function carry<T>(trip: Trip, step: () => Promise<T>): Promise<T> {
  try {
    return await trip.deadline.race(step());
  } catch (cause) {
    halt(trip);
    throw toConnectionError(cause, trip);
  }
}

async function dispatch(request: Request, trip: Trip, { fetch }: Settings): Promise<Response> {
  const response = await fetch(request);
  if (response.type === 'error') throw new Error('fetch gave an error in place of an answer');
  // A fetch that does not listen to its signal may still answer; nobody waits for that body.
  if (trip.deadline.stopped() !== undefined) void response.body?.cancel().catch(ignore);
  else arrive(trip.progress, response);
  return response;
}

/** Reads the body piece by piece, so that a body that breaks off is not lost. */
async function readBody(response: Response, { progress, deadline }: Trip): Promise<void> {
  if (response.body === null) return;
  // React Native has no streams.
  if (response.body === undefined) {
    progress.received = await response.text();
    return;
  }
  const reader = response.body.getReader();
  deadline.signal.addEventListener('abort', () => void reader.cancel().catch(ignore), { once: true });
  const decoder = new TextDecoder();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    progress.received += decoder.decode(step.value, { stream: true });
  }
  progress.received += decoder.decode();
}

function toStopError(stop: Stop, { progress, secret }: Trip): ServiceError {
  const facts: ErrorFacts = {
    ...pickFacts(progress),
    outcome: progress.phase === 'preparing' ? 'not_sent' : 'unknown',
  };
  if (stop.kind === 'timeout') return new TimeoutError('The answer did not arrive in time.', facts);
  return new AbortError('The call was aborted by its signal.', {
    ...facts,
    cause: redactCause(stop.reason, secret),
  });
}

function toConnectionError(cause: unknown, { progress, secret }: Trip): ConnectionError {
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
