import type { OperationId } from '@service/contract';
import { ConfigurationError } from '../errors/error-classes.ts';
import { redactCause } from '../errors/redact.ts';
import { isControlFlow, type ServiceError } from '../errors/service-error.ts';

/** An operation in hooks and logs. `'api'` is a request of `createApi` from `@service/sdk/api`. */
export type Operation = OperationId | 'api';

/** The request that a hook is called for. */
export interface RequestFacts {
  /** The `operationId` of the API document, such as `'createPayment'`, or `'api'`. */
  readonly operation: Operation;
  /** The HTTP method. */
  readonly method: string;
  /** The absolute URL. */
  readonly url: string;
  /** Number of the request within its call, from 1. */
  readonly attempt: number;
}

/**
 * Called before each request. Headers that it sets are sent, except those that the client sets itself. The
 * API key is not in `headers`.
 */
export type RequestHook = (
  request: RequestFacts & {
    /** The headers to send, without the API key. Add fields for a proxy or a trace. */
    readonly headers: Headers;
  },
) => unknown;

/** Called after each response, when its body was received. */
export type ResponseHook = (
  response: RequestFacts & {
    /** The HTTP status. */
    readonly status: number;
    /** The headers as received. */
    readonly headers: Headers;
    /** The `X-Request-Id` of the response, for questions to the service. */
    readonly requestId: string | undefined;
    /** Time from the request to the end of the response body, in milliseconds. */
    readonly duration: number;
  },
) => unknown;

/** Called before each retry, with the error of the failed request and the wait in milliseconds. */
export type RetryHook = (
  retry: Pick<RequestFacts, 'operation' | 'attempt'> & {
    /** The error of the failed request. */
    readonly error: ServiceError;
    /** Time until the retry, in milliseconds. */
    readonly delay: number;
  },
) => unknown;

/**
 * The hooks of a client. A returned promise is awaited. If a hook throws, the call rejects with a
 * `ConfigurationError` whose `cause` is the error of the hook.
 */
export interface Hooks {
  /** Called before each request. */
  readonly onRequest?: RequestHook | undefined;
  /** Called after each response, when its body was received. */
  readonly onResponse?: ResponseHook | undefined;
  /** Called before each retry. */
  readonly onRetry?: RetryHook | undefined;
}

/**
 * Runs a hook.
 *
 * @throws {ConfigurationError} when the hook throws. `cause` is the error of the hook.
 */
export async function runHook<Name extends keyof Hooks>(
  hooks: Hooks,
  name: Name,
  facts: Parameters<NonNullable<Hooks[Name]>>[0],
): Promise<void> {
  try {
    await (hooks[name] as ((facts: unknown) => unknown) | undefined)?.(facts);
  } catch (cause) {
    if (isControlFlow(cause)) throw cause;
    throw new ConfigurationError(`The ${name} hook failed.`, { cause: redactCause(cause) });
  }
}
