import { AbortError, ConfigurationError, ConnectionError, TimeoutError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import type { ErrorFacts, ServiceError } from '../errors/service-error.ts';
import { type RequestFacts, runHook } from '../hooks.ts';
import type { ApiKey } from '../key.ts';
import { maskBody } from '../log.ts';
import type { Settings } from '../options.ts';
import { warnOfDeprecation } from '../warnings.ts';
import { askKey } from './admit-key.ts';
import { type Answer, pickFacts, toAnswer } from './answer.ts';
import type { Clock } from './clock.ts';
import { type Deadline, type DeadlineOptions, startDeadline, type Stop } from './deadline.ts';
import { outcomeOfFailure } from './outcome.ts';
import { checkTarget } from './path.ts';
import { type Progress, startAttempt } from './progress.ts';
import { receive, toOversized } from './receive.ts';
import { type Draft, toRequest } from './request.ts';

/** Holds what every request of a client goes through. */
export type Transport = { readonly settings: Settings; readonly clock: Clock };

/** Holds what one request may take, and the record of how far it came. */
export type Attempt = DeadlineOptions & { readonly progress: Progress };

/** Holds what is known of a request while it is being sent. */
type Sending = {
  readonly draft: Draft;
  readonly progress: Progress;
  readonly deadline: Deadline;
  readonly facts: RequestFacts;
  secret?: string;
};

/**
 * Sends one request, once: asks for the key, checks where the request goes, signs it, carries it, reads the answer.
 *
 * @throws ServiceError whose `outcome` says what may have become of the request.
 */
export async function send(draft: Draft, attempt: Attempt, transport: Transport): Promise<Answer> {
  const { progress } = attempt;
  startAttempt(progress);
  const deadline = startDeadline(attempt, transport.clock);
  const { operation, method, url } = draft;
  const facts = { operation, method, url, attempt: progress.attempts + 1 };
  const sending: Sending = { draft, progress, deadline, facts };
  try {
    checkDeadline(sending);
    return await carry(sending, transport);
  } finally {
    deadline.end();
  }
}

async function carry(sending: Sending, { settings, clock }: Transport): Promise<Answer> {
  const { draft, progress, deadline, facts } = sending;
  const { apiKey, hooks, log, baseUrl, warn } = settings;
  const key = typeof apiKey === 'function' ? await prepare(sending, () => askKey(settings)) : apiKey;
  sending.secret = key.secret;
  // The other operations have addresses that nobody can change.
  if (draft.operation === 'api' || draft.operation === 'getPayment')
    checkTarget(draft.url, baseUrl, key.mode);
  // A hook is not shown the key that an earlier attempt was signed with.
  const headers = hooks.onRequest ? new Headers(draft.headers) : draft.headers;
  if (hooks.onRequest) await prepare(sending, () => runHook(hooks, 'onRequest', { ...facts, headers }));
  const request = toRequest(draft, sign(headers, key, settings), deadline.signal);
  log('debug', () => [`${facts.method} ${facts.url} is sent`, { ...facts, body: maskBody(draft.body) }]);
  checkDeadline(sending);
  depart(progress, clock);
  const start = clock.now();
  const response = await takeStep(sending, dispatch(request, sending, settings));
  warnOfDeprecation(response.headers, baseUrl, warn);
  const whole = await takeStep(sending, receive(response, sending));
  if (!whole) throw toOversized(progress);
  const duration = clock.now() - start;
  const { requestId } = progress;
  log('info', () => {
    const { status } = response;
    return [`${facts.method} ${facts.url} answered ${status}`, { ...facts, status, requestId, duration }];
  });
  if (hooks.onResponse) {
    const { status, headers: received } = response;
    const seen = { ...facts, status, headers: received, requestId, duration };
    await hear(sending, runHook(hooks, 'onResponse', seen));
  }
  return toAnswer(response, progress, key);
}

/** Waits for a hook that looks at an answer: what fails here leaves open what the answer would have said. */
async function hear(sending: Sending, hook: Promise<void>): Promise<void> {
  try {
    await sending.deadline.race(hook);
  } catch (error) {
    checkDeadline(sending);
    const { message, cause } = error as Error;
    throw new ConfigurationError(message, { ...pickFacts(sending.progress), outcome: 'unknown', cause });
  }
}

/** Takes a step before anything is sent; what the step throws stays as it is. */
async function prepare<T>(sending: Sending, step: () => Promise<T>): Promise<T> {
  try {
    const result = await sending.deadline.race(step());
    checkDeadline(sending);
    return result;
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

function sign(headers: Headers, { secret }: ApiKey, { auth }: Settings): Headers {
  // One header with a key: two that differ would be refused.
  headers.delete('authorization');
  headers.delete('x-api-key');
  headers.set('accept', 'application/json');
  if (auth === 'bearer') headers.set('authorization', `Bearer ${secret}`);
  else headers.set('x-api-key', secret);
  return headers;
}

function depart(progress: Progress, clock: Clock): void {
  progress.phase = 'waiting';
  progress.attempts += 1;
  progress.sentAt ??= clock.date();
}

function arrive(progress: Progress, response: Response): void {
  progress.phase = 'reading';
  progress.status = response.status;
  progress.requestId = response.headers.get('x-request-id') ?? undefined;
}

/** Takes a step on the wire; whatever ends it becomes an error that says how far the request had come. */
async function takeStep<T>(sending: Sending, step: Promise<T>): Promise<T> {
  try {
    return await sending.deadline.race(step);
  } catch (cause) {
    checkDeadline(sending);
    throw toConnectionError(cause, sending);
  }
}

async function dispatch(request: Request, sending: Sending, { fetch }: Settings): Promise<Response> {
  const response = await fetch(request);
  if (response.type === 'error') throw new Error('fetch gave an error in place of an answer');
  // A fetch that does not listen to its signal may still answer; nobody waits for that body.
  if (sending.deadline.stopped() !== undefined) void response.body?.cancel().catch(ignore);
  else arrive(sending.progress, response);
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
