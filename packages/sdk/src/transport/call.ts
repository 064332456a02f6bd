import type { Mode } from '@service/contract';
import { captureCaller, pointAtCaller } from '../errors/caller.ts';
import { copyOwn, type JsonObject } from '../json.ts';
import type { Source } from '../money.ts';
import type { Warning } from '../warnings.ts';
import { type Answer, readData, toUnreadable } from './answer.ts';
import { type CallOptions, parseCallOptions } from './call-options.ts';
import { persist } from './persist.ts';
import { type Progress, startProgress } from './progress.ts';
import { draft, type Question } from './request.ts';
import type { RetryRule } from './retry.ts';
import type { Transport } from './send.ts';

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
export type Asking = Question & { readonly rule?: RetryRule; readonly idempotencyKey?: string | undefined };

/** Lets an operation ask the service, and look at how far that came. */
export type Conversation<M extends Mode> = {
  readonly progress: Progress;
  readonly options: CallOptions;
  /** Asks the service; `read` turns `data`, a list or an object, into what the operation promises, or undefined. */
  readonly ask: <T>(
    asking: Asking,
    read: (data: JsonObject, reading: Reading) => T | undefined,
  ) => Promise<Answered<T, M>>;
};

/** Holds what else reading an answer takes: the mode of the key that asked, the body, and the `Link` header. */
export type Reading = {
  readonly asked: Mode;
  readonly body: unknown;
  readonly link: string | null;
  readonly source: Source;
};

/** Starts a call; `work` asks the service, and whatever it throws rejects the call. */
export function startCall<T, M extends Mode>(
  transport: Transport,
  options: CallOptions | undefined,
  work: (conversation: Conversation<M>) => Promise<Answered<T, M>>,
): Call<T, M> {
  const caller = captureCaller(startCall);
  const start = async (): Promise<Answered<T, M>> =>
    work(startConversation(transport, parseCallOptions(options)));
  const result = start().catch((error: unknown) => {
    throw pointAtCaller(error, caller);
  });
  const data = result.then((answered) => answered.data);
  const withResponse = (): Promise<Answered<T, M>> => {
    // Whoever asks for the response looks there, and not at the data, for what went wrong.
    data.catch(ignore);
    return result.then((answered) => answered);
  };
  return Object.assign(data, { withResponse });
}

function startConversation<M extends Mode>(transport: Transport, options: CallOptions): Conversation<M> {
  const { settings, clock } = transport;
  const progress = startProgress();
  return {
    progress,
    options,
    ask: async (given, read) => {
      // Without a prototype, so that a polluted one adds no body and no leave to send again.
      const asking = copyOwn(given) as Asking;
      const { rule = 'safe', idempotencyKey = options.idempotencyKey } = asking;
      const drafted = draft(asking, settings.baseUrl);
      for (const [name, text] of Object.entries({ ...settings.headers, ...options.headers })) {
        drafted.headers.set(name, text);
      }
      if (idempotencyKey !== undefined) drafted.headers.set('idempotency-key', idempotencyKey);
      return persist({ ...options, drafted, rule, progress }, transport, (answer) => {
        const reading = toReading(answer, settings.warn);
        const data = read(readData(answer, clock.date()), reading);
        if (data === undefined) throw toUnreadable(answer, 'its `data` is not what this operation documents');
        return toAnswered(data, answer, { progress, warnings: reading.warnings });
      });
    },
  };
}

function toAnswered<T, M extends Mode>(
  data: T,
  answer: Answer,
  { progress, warnings }: { progress: Progress; warnings: Warning[] },
): Answered<T, M> {
  const { requestId, mode, attempts } = progress;
  return {
    data,
    // Made when somebody asks: few do, and it costs more than all the rest.
    get response() {
      return answer.response;
    },
    requestId,
    mode: mode as M | undefined,
    attempts,
    warnings,
  };
}

function toReading(
  { asked, body, text, headers }: Answer,
  tell: (warning: Warning) => void,
): Reading & { warnings: Warning[] } {
  const warnings: Warning[] = [];
  const warn: Source['warn'] = (code, message) => {
    warnings.push({ code, message });
    tell({ code, message });
  };
  return { asked, body, link: headers.get('link'), source: { text, body, warn }, warnings };
}

function ignore(): void {}
