import type { Mode } from '@service/contract';
import type { UnreadableResponseError } from '../errors/answer-errors.ts';
import { pointAtCaller } from '../errors/caller.ts';
import { redactCause } from '../errors/redact.ts';
import type { JsonObject } from '../values/json.ts';
import type { Source } from '../values/money.ts';
import type { Settings } from '../options/options.ts';
import { findMismatch, type StandardSchema } from '../options/response-schema.ts';
import type { Warning, WarningCode } from '../options/warnings.ts';
import { type Answer, readData, rebuild, toUnreadable } from './answer.ts';
import type { Transport } from './attempt.ts';
import { type CallOptions, parseCallOptions } from './call-options.ts';
import type { KeySource } from './outcome.ts';
import { persist } from './persist.ts';
import { type Progress, startProgress } from './progress.ts';
import type { Draft, Question } from './request.ts';
import type { RetryRule } from './retry.ts';

/** Holds the data of a call with what came along. */
export type Answered<T, M extends Mode = Mode> = {
  /** Holds what the call promises without `withResponse()`. */
  readonly data: T;
  /** Holds the answer without its `statusText`; its body has not been read. */
  readonly response: Response;
  /** Holds the `X-Request-Id` of the answer; undefined when absent. */
  readonly requestId: string | undefined;
  /** Holds the mode that answered; undefined when the answer does not say. */
  readonly mode: M | undefined;
  /** Counts the requests that the call took. */
  readonly attempts: number;
  /** Lists what to know of an answer although it went well, such as money that no number can hold. */
  readonly warnings: readonly Warning[];
};

/**
 * Promises the data of a call. The request leaves when the call is made, however often the promise is awaited. A call that
 * fails and is awaited in neither form is an unhandled rejection, so that no failed payment goes unnoticed.
 */
export type Call<T, M extends Mode = Mode> = Promise<T> & {
  /** Returns a promise of the data together with the response; it sends nothing more. */
  readonly withResponse: () => Promise<Answered<T, M>>;
};

/** Holds a question with the rule by which it may be asked again. */
export type Asking = Question & {
  readonly mayRepeat?: RetryRule | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil?: number | undefined;
  readonly idempotencyKey?: string | undefined;
};

/** Lets an operation ask the service, and look at how far that came. */
export type Conversation<M extends Mode> = {
  readonly progress: Progress;
  readonly options: CallOptions;
  /** Asks the service; `read` turns `data`, a list or an object, into what the operation promises, or undefined. */
  readonly ask: <T>(asking: Asking, read: Read<T>) => Promise<Answered<T, M>>;
};

type Read<T> = (data: JsonObject, reading: Reading) => T | undefined;

/** Holds what else reading an answer takes: the mode of the key that asked, the body and the headers. */
export type Reading = {
  readonly asked: Mode;
  readonly body: unknown;
  readonly headers: Headers;
  readonly source: Source;
  /** Makes the error of a response body that cannot be read; `why` completes "The answer cannot be read: ". */
  readonly toUnreadable: (why: string) => UnreadableResponseError;
};

/** Starts a call; `work` asks the service, and whatever it throws rejects the call. */
export function startCall<T, M extends Mode>(
  transport: Transport,
  options: CallOptions | undefined,
  work: (conversation: Conversation<M>) => Promise<Answered<T, M>>,
): Call<T, M> {
  const start = async (): Promise<Answered<T, M>> => {
    try {
      return await work(startConversation(transport, parseCallOptions(options)));
    } catch (error) {
      transport.settings.log('error', () => [
        `The call failed: ${String(error)}`,
        { error: redactCause(error) },
      ]);
      throw pointAtCaller(error, start);
    }
  };
  let answered: Answered<T, M>;
  // One chain, so that the runtime can tell who waits at its end.
  const data = start().then((whole) => {
    answered = whole;
    return whole.data;
  });
  const withResponse = (): Promise<Answered<T, M>> => data.then(() => answered);
  return Object.assign(data, { withResponse });
}

function startConversation<M extends Mode>(transport: Transport, options: CallOptions): Conversation<M> {
  const { settings, clock } = transport;
  const progress = startProgress();
  return {
    progress,
    options,
    ask: <T>(asking: Asking, read: Read<T>): Promise<Answered<T, M>> => {
      const schema = settings.responseSchemas[asking.operation];
      const { mayRepeat, unseenUntil } = { ...noQuestion, ...asking };
      const keySource = findKeySource(options, asking);
      const replaysKeys = settings.serviceIdempotency === 'replayed';
      const call = { options, draft: toDraft(asking, options, settings), mayRepeat, unseenUntil, progress };
      return persist(call, transport, (answer) => {
        const warnings: Warning[] = [];
        const warn: Tell = (code, message) => {
          warnings.push({ code, message });
          settings.warn({ code, message });
        };
        const { operation } = asking;
        const received = readData(answer, { operation, now: clock.date(), keySource, replaysKeys });
        const finish = (): Answered<T, M> => {
          const data = read(received, toReading(answer, warn));
          if (data === undefined)
            throw toUnreadable(answer, 'its `data` is not what this operation documents');
          return toAnswered(data, answer, { progress, warnings });
        };
        return schema ? holdTo(schema, answer, { settings, warn }).then(finish) : finish();
      });
    },
  };
}

function findKeySource(options: CallOptions, { idempotencyKey }: Asking): KeySource {
  if (options.idempotencyKey !== undefined) return 'caller';
  return idempotencyKey === undefined ? undefined : 'client';
}

// Own fields, so that a polluted prototype adds no body and no leave to send again.
const noQuestion = {
  query: undefined,
  body: undefined,
  check: undefined,
  once: undefined,
  mayRepeat: undefined,
  unseenUntil: undefined,
  idempotencyKey: undefined,
  isTooLate: undefined,
};

function toDraft(asking: Asking, options: CallOptions, settings: Settings): Draft {
  const { operation, path, query, body, check, once, idempotencyKey, isTooLate } = {
    ...noQuestion,
    ...asking,
  };
  const search = query ? `?${new URLSearchParams(query as Record<string, string>)}` : '';
  const key = idempotencyKey ?? options.idempotencyKey;
  return {
    operation,
    method: body === undefined ? 'GET' : 'POST',
    url: `${settings.baseUrl}${path}${search}`,
    headers: {
      ...settings.headers,
      ...options.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body,
    check,
    once,
    isTooLate,
  };
}

type Tell = (code: WarningCode, message: string) => void;

/** Compares an answer with a schema. @throws UnreadableResponseError where they differ and the client is to be strict */
async function holdTo(
  schema: StandardSchema,
  answer: Answer,
  { settings, warn }: { settings: Settings; warn: Tell },
): Promise<void> {
  const mismatch = await findMismatch(schema, answer.body);
  if (mismatch === undefined) return;
  const why = `it is not what the schema of its operation says: ${mismatch}`;
  if (settings.responseValidation === 'throw') throw toUnreadable(answer, why);
  warn('unexpected_answer', `The answer was read, but ${why}.`);
}

function toReading(answer: Answer, warn: Tell): Reading {
  const { asked, body, text, response } = answer;
  return {
    asked,
    body,
    headers: response.headers,
    source: { text, body, warn },
    toUnreadable: (why) => toUnreadable(answer, why),
  };
}

function toAnswered<T, M extends Mode>(
  data: T,
  answer: Answer,
  { progress, warnings }: { progress: Progress; warnings: Warning[] },
): Answered<T, M> {
  const { attempts, stage } = progress;
  let rebuilt: Response | undefined;
  return {
    data,
    // Made when somebody asks: few do, and it costs more than all the rest.
    get response() {
      return (rebuilt ??= rebuild(answer));
    },
    requestId: stage.requestId,
    mode: stage.mode as M | undefined,
    attempts,
    warnings,
  };
}
