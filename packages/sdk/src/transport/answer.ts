import type { Mode } from '@service/contract';
import { ModeMismatchError, UnreadableResponseError } from '../errors/answer-errors.ts';
import { classify } from '../errors/classify.ts';
import { redactJson } from '../errors/redact.ts';
import type { ErrorFacts, Outcome, ServiceError } from '../errors/service-error.ts';
import { isRecord, type JsonObject, parseJson } from '../json.ts';
import type { ApiKey } from '../key.ts';
import { outcomeOfAnswer } from './outcome.ts';
import type { Progress } from './progress.ts';

/** Holds a complete answer: its parsed body, a response whose body may still be read, and the mode of the key that asked. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Is made when somebody asks for it. */
  readonly response: Response;
  readonly body: unknown;
  readonly asked: Mode;
  readonly facts: FactsOf;
};

/** Returns what an error says of an answer, with keys struck out of its body. */
type FactsOf = (outcome: Outcome) => ErrorFacts & { readonly status: number };

/**
 * Makes an answer of a response and its text.
 *
 * @throws UnreadableResponseError for a redirect, which is never followed, and for a status that HTTP does not know.
 * @throws ModeMismatchError when the other mode answered than the key's.
 */
export function toAnswer(response: Response, progress: Progress, key: ApiKey): Answer {
  const text = progress.received;
  const { status } = response;
  const body = parseJson(text);
  progress.phase = 'answered';
  progress.mode = readMode(body);
  const facts: FactsOf = (outcome) => ({
    ...pickFacts(progress),
    status,
    outcome,
    raw: redactJson(body ?? text, key.secret),
  });
  checkRedirect(response, facts);
  // A 401 was not authenticated, so whatever it says of a mode is a guess.
  if (status !== 401) checkMode(body, key.mode, facts);
  const { headers } = response;
  let rebuilt: Response | undefined;
  return {
    status,
    headers,
    text,
    get response() {
      return (rebuilt ??= rebuild(response, text));
    },
    body,
    asked: key.mode,
    facts,
  };
}

/** Returns what the record of a call tells an error. */
export function pickFacts({ attempts, status, requestId, mode }: Progress): ErrorFacts {
  return { attempts, status, requestId, mode };
}

/**
 * Reads `data` from an answer of success (spec §2).
 *
 * @throws ServiceError of the class that the answer reports; UnreadableResponseError for any other 2xx.
 */
export function readData(answer: Answer, now: Date): JsonObject {
  const { status, body } = answer;
  if (status >= 300) throw toServiceError(answer, now);
  if (!isRecord(body)) throw toUnreadable(answer, 'it is not a JSON object');
  if (body.success !== true) throw toUnreadable(answer, '`success` is not true');
  const { data } = body;
  if (typeof data !== 'object' || data === null) throw toUnreadable(answer, 'it holds no `data` object');
  return data as JsonObject;
}

/** Makes the error of a 2xx that is not what the service documents. */
export function toUnreadable({ facts }: Answer, why: string): UnreadableResponseError {
  const failure = facts('unknown');
  const error = isRecord(failure.raw) && isRecord(failure.raw.error) ? failure.raw.error : {};
  const type = typeof error.type === 'string' ? error.type : undefined;
  return new UnreadableResponseError(`The answer cannot be read: ${why}.`, { ...failure, type });
}

function toServiceError({ status, headers, body, facts }: Answer, now: Date): ServiceError {
  const failure = facts(outcomeOfAnswer(status, body));
  return classify({ ...failure, retryAfter: parseRetryAfter(headers.get('retry-after'), now) });
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Reads `Retry-After`, whole seconds or a date as HTTP writes it, into seconds; undefined when absent, senseless or past. */
function parseRetryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - now.getTime()) / 1000);
  return httpDate.test(value) && seconds >= 0 ? seconds : undefined;
}

function readMode(body: unknown): Mode | undefined {
  const mode = isRecord(body) ? body.mode : undefined;
  return mode === 'test' || mode === 'live' ? mode : undefined;
}

function checkRedirect({ type, status, redirected }: Response, facts: FactsOf): void {
  if (type === 'opaqueredirect' || redirected || (status >= 300 && status < 400)) {
    throw new UnreadableResponseError(
      'The answer is a redirect, which is never followed, so that the key and the payment go nowhere else. Check baseUrl.',
      facts('unknown'),
    );
  }
  if (status >= 200 && status <= 599) return;
  throw new UnreadableResponseError('The answer has no status that HTTP knows.', facts('unknown'));
}

function checkMode(body: unknown, expected: Mode, facts: FactsOf): void {
  const { mode } = isRecord(body) ? body : {};
  if (mode === undefined || mode === null || mode === expected) return;
  throw new ModeMismatchError(
    `The API key is of ${expected} mode, and another mode answered. Check the key and baseUrl.`,
    facts('unknown'),
  );
}

/** Makes a response whose body can be read again, since the first reading used it up. */
function rebuild({ status, headers }: Response, text: string): Response {
  const empty = status === 204 || status === 205;
  // `statusText` stays behind: a server may write a phrase that a Response refuses.
  return new Response(empty ? null : text, { status, headers });
}
