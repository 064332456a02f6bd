import type { Mode, OperationId } from '@service/contract';
import { ModeMismatchError, UnreadableResponseError } from '../errors/answer-errors.ts';
import { classify, readDetail } from '../errors/classify.ts';
import { createMask } from '../errors/mask-sent.ts';
import { redactJson } from '../errors/redact.ts';
import type { ErrorFacts, Outcome } from '../errors/service-error.ts';
import { parseHttpDate } from '../values/http-date.ts';
import { isRecord, type JsonObject, parseJson } from '../values/json.ts';
import type { ApiKey } from '../options/key.ts';
import { type FailedResponse, outcomeOfAnswer } from './outcome.ts';
import { pickFacts, type Progress } from './progress.ts';

/** Holds a complete answer: its text, what that parsed to, and the mode of the key that asked. */
export type Answer = {
  readonly response: Response;
  readonly text: string;
  readonly body: unknown;
  readonly asked: Mode;
  /** The body of the request, as JSON. */
  readonly sent: string | undefined;
  /** Returns what an error says of the answer, with keys struck out of its body. */
  readonly facts: (outcome: Outcome) => ErrorFacts & { readonly status: number };
};

/**
 * Makes an answer of a response whose text has come.
 *
 * @throws UnreadableResponseError for a redirect, which is never followed, and for a status that HTTP does not know.
 * @throws ModeMismatchError when the other mode answered than the key's.
 */
export function toAnswer(
  response: Response,
  progress: Progress,
  { key, sent }: { readonly key: ApiKey; readonly sent: string | undefined },
): Answer {
  const { stage } = progress;
  const { mode: asked, secret } = key;
  const { status, type, redirected } = response;
  const text = stage.received;
  const body = parseJson(text);
  const mode = isRecord(body) ? (body.mode ?? undefined) : undefined;
  stage.phase = 'answered';
  stage.mode = mode === 'test' || mode === 'live' ? mode : undefined;
  const facts: Answer['facts'] = (outcome) => ({
    ...pickFacts(progress),
    status,
    outcome,
    raw: redactJson(body ?? text, secret),
  });
  if (
    type === 'opaqueredirect' ||
    redirected ||
    !(status >= 200 && status < 600) ||
    (status >= 300 && status < 400)
  ) {
    throw new UnreadableResponseError(
      'The answer is a redirect, which is never followed so that the key and the payment go nowhere else, or no HTTP. Check baseUrl.',
      facts('unknown'),
    );
  }
  // A 401 was not authenticated, so whatever it says of a mode is a guess.
  if (status !== 401 && mode !== undefined && mode !== asked) {
    throw new ModeMismatchError(
      `The API key is of ${asked} mode, and another mode answered. Check the key and baseUrl.`,
      facts('unknown'),
    );
  }
  return { response, text, body, asked, sent, facts };
}

/** The request behind a response. */
export interface ReadContext extends Pick<FailedResponse, 'keySource' | 'replaysKeys'> {
  readonly operation: OperationId;
  readonly now: Date;
}

/**
 * Reads `data` from an answer of success (spec §2); an empty object where a page of transactions has none, since its rows may be
 * beside it.
 *
 * @throws ServiceError of the class that the answer reports; UnreadableResponseError for any other 2xx.
 */
export function readData(answer: Answer, { now, operation, ...keys }: ReadContext): JsonObject {
  const { response, body, text, sent, facts } = answer;
  const { status, headers } = response;
  if (status >= 300) {
    const retryAfter = parseRetryAfter(headers.get('retry-after'), now);
    // Where nothing is looked up, nothing but the path can be missing.
    const hint =
      status === 404 && operation !== 'getPayment' ? ' Is baseUrl right, version segment included?' : '';
    const outcome = outcomeOfAnswer({ status, body, text, ...keys });
    throw classify({ ...facts(outcome), retryAfter }, { hint, mask: createMask(sent) });
  }
  if (!isRecord(body)) throw toUnreadable(answer, 'it is not a JSON object');
  const { success, data } = body;
  if (success !== true) throw toUnreadable(answer, '`success` is not true');
  if (typeof data === 'object' && data !== null) return data as JsonObject;
  if (operation === 'listTransactions') return {};
  throw toUnreadable(answer, 'it holds no `data` object');
}

/** Makes the error of a 2xx that is not what the service documents. */
export function toUnreadable({ facts }: Answer, why: string): UnreadableResponseError {
  const failure = facts('unknown');
  const { type } = readDetail(failure.raw);
  return new UnreadableResponseError(`The answer cannot be read: ${why}.`, { ...failure, type });
}

/** Reads `Retry-After`, whole seconds or a date as HTTP writes it, into seconds; undefined when absent, senseless or past. */
function parseRetryAfter(value: string | null, now: Date): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = Math.ceil((parseHttpDate(value) - now.getTime()) / 1000);
  return seconds >= 0 ? seconds : undefined;
}

/** Makes a response whose body can be read again, since the first reading used it up. */
export function rebuild({ response: { status, headers }, text }: Answer): Response {
  const empty = status === 204 || status === 205;
  // `statusText` stays behind: a server may write a phrase that a Response refuses.
  return new Response(empty ? null : text, { status, headers });
}
