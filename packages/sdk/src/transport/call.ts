import type { Mode } from '@service/contract';
import type { UnreadableResponseError } from '../errors/response-errors.ts';
import { addCallerStack } from '../errors/caller-stack.ts';
import { redactCause } from '../errors/redact.ts';
import type { JsonObject } from '@service/internal';
import type { AmountSource } from '../values/money.ts';
import type { Settings } from '../options/options.ts';
import { findMismatch, type StandardSchema } from '../options/response-schema.ts';
import type { Warning, WarningCode } from '../options/warnings.ts';
import { type ServiceResponse, readData, rebuildResponse, createUnreadableError } from './response.ts';
import type { ClientContext } from './attempt.ts';
import { type CallOptions, parseCallOptions } from './call-options.ts';
import type { KeySource } from './outcome.ts';
import { sendWithRetries } from './retrying.ts';
import { type CallState, createCallState } from './call-state.ts';
import type { RequestDraft, OperationRequest } from './request.ts';

/** The result of a call with its response and metadata. */
export interface CallResult<T, M extends Mode = Mode> {
  /** The value that the call itself resolves with. */
  readonly data: T;
  /** The response, without its `statusText`. Its body has not been read. */
  readonly response: Response;
  /** The `X-Request-Id` of the response; undefined if absent. */
  readonly requestId: string | undefined;
  /** The mode in the response; undefined if absent. */
  readonly mode: M | undefined;
  /** Number of requests that the call sent. */
  readonly attempts: number;
  /** Warnings about this response, for example an amount that a `number` cannot represent exactly. */
  readonly warnings: readonly Warning[];
}

/**
 * A promise of the result of a call. The request is sent when the call is made, and not again when the
 * promise is awaited twice. A failed call that is awaited neither directly nor with
 * `withResponse()` is an unhandled rejection, so that no failed payment goes unnoticed.
 *
 * @example
 * const payment = await client.payments.retrieve(id);
 * const { data, requestId } = await client.payments.retrieve(id).withResponse();
 */
export type Call<T, M extends Mode = Mode> = Promise<T> & {
  /** Returns the result together with the response and metadata. Sends no further request. */
  readonly withResponse: () => Promise<CallResult<T, M>>;
};

/** The options and state of a call, and the function that sends its requests. */
export interface CallContext<M extends Mode> {
  readonly callState: CallState;
  readonly options: CallOptions;
  /**
   * Sends a request. `read` converts `data`, a list or an object, to the result, or returns undefined if it
   * cannot.
   */
  readonly send: <T>(request: OperationRequest, read: ReadResult<T>) => Promise<CallResult<T, M>>;
}

type ReadResult<T> = (data: JsonObject, readContext: ReadContext) => T | undefined;

/** The response to read `data` from, and the mode of the API key. */
export interface ReadContext {
  readonly asked: Mode;
  readonly body: unknown;
  readonly headers: Headers;
  readonly source: AmountSource;
  /**
   * Creates the error of a response body that cannot be read. `why` completes "The response cannot be read:
   * ".
   */
  readonly toUnreadable: (why: string) => UnreadableResponseError;
}

/** Starts a call. `work` sends its requests, and an error of `work` rejects the call. */
export function startCall<T, M extends Mode>(
  context: ClientContext,
  options: CallOptions | undefined,
  work: (context: CallContext<M>) => Promise<CallResult<T, M>>,
): Call<T, M> {
  const start = async (): Promise<CallResult<T, M>> => {
    try {
      return await work(createCallContext(context, parseCallOptions(options)));
    } catch (error) {
      context.settings.log('error', () => [
        `The call failed: ${String(error)}`,
        { error: redactCause(error) },
      ]);
      throw addCallerStack(error, start);
    }
  };
  let result: CallResult<T, M>;
  // A single chain of promises, so that async stack traces reach the awaiting code.
  const data = start().then((whole) => {
    result = whole;
    return whole.data;
  });
  const withResponse = (): Promise<CallResult<T, M>> => data.then(() => result);
  return Object.assign(data, { withResponse });
}

function createCallContext<M extends Mode>(context: ClientContext, options: CallOptions): CallContext<M> {
  const { settings, clock } = context;
  const callState = createCallState();
  return {
    callState,
    options,
    send: <T>(request: OperationRequest, read: ReadResult<T>): Promise<CallResult<T, M>> => {
      const schema = settings.responseSchemas[request.operation];
      const { mayRepeat, unseenUntil } = { ...defaultRequest, ...request };
      const keySource = findKeySource(options, request);
      const replaysKeys = settings.serviceIdempotency === 'replayed';
      const call = { options, draft: toDraft(request, options, settings), mayRepeat, unseenUntil, callState };
      return sendWithRetries(call, context, (response) => {
        const warnings: Warning[] = [];
        const warn: Warn = (code, message) => {
          warnings.push({ code, message });
          settings.warn({ code, message });
        };
        const { operation } = request;
        const received = readData(response, { operation, now: clock.date(), keySource, replaysKeys });
        const finish = (): CallResult<T, M> => {
          const data = read(received, createReadContext(response, warn));
          if (data === undefined)
            throw createUnreadableError(
              response,
              'its `data` does not match the documented response of the operation',
            );
          return toCallResult(data, response, { callState, warnings });
        };
        return schema ? validateResponse(schema, response, { settings, warn }).then(finish) : finish();
      });
    },
  };
}

function findKeySource(options: CallOptions, { idempotencyKey }: OperationRequest): KeySource {
  if (options.idempotencyKey !== undefined) return 'caller';
  return idempotencyKey === undefined ? undefined : 'client';
}

// Own properties, so that a polluted prototype cannot add a body or a retry rule.
const defaultRequest = {
  query: undefined,
  body: undefined,
  check: undefined,
  preventReplay: undefined,
  mayRepeat: undefined,
  unseenUntil: undefined,
  idempotencyKey: undefined,
  isTooLate: undefined,
};

function toDraft(request: OperationRequest, options: CallOptions, settings: Settings): RequestDraft {
  const { operation, path, query, body, check, preventReplay, idempotencyKey, isTooLate } = {
    ...defaultRequest,
    ...request,
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
    preventReplay,
    isTooLate,
  };
}

type Warn = (code: WarningCode, message: string) => void;

/**
 * Validates a response against a schema. A mismatch is a warning or an error.
 *
 * @throws {UnreadableResponseError} when they differ and `responseValidation` is `'throw'`.
 */
async function validateResponse(
  schema: StandardSchema,
  response: ServiceResponse,
  { settings, warn }: { settings: Settings; warn: Warn },
): Promise<void> {
  const mismatch = await findMismatch(schema, response.body);
  if (mismatch === undefined) return;
  const why = `it does not match the response schema of its operation: ${mismatch}`;
  if (settings.responseValidation === 'throw') throw createUnreadableError(response, why);
  warn('unexpected_response', `The response was accepted, but ${why}.`);
}

function createReadContext(serviceResponse: ServiceResponse, warn: Warn): ReadContext {
  const { asked, body, text, response } = serviceResponse;
  return {
    asked,
    body,
    headers: response.headers,
    source: { text, body, warn },
    toUnreadable: (why) => createUnreadableError(serviceResponse, why),
  };
}

function toCallResult<T, M extends Mode>(
  data: T,
  response: ServiceResponse,
  { callState, warnings }: { callState: CallState; warnings: Warning[] },
): CallResult<T, M> {
  const { attempts, attemptState } = callState;
  let rebuilt: Response | undefined;
  return {
    data,
    // Created on first access: it is rarely used and costs more than the rest of the result.
    get response() {
      return (rebuilt ??= rebuildResponse(response));
    },
    requestId: attemptState.requestId,
    mode: attemptState.mode as M | undefined,
    attempts,
    warnings,
  };
}
