import type { OperationId } from '@service/contract';
import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import type { ServiceError } from '../errors/service-error.ts';

/** Names an operation in hooks and logs; `api` stands for what was called on the client beneath. */
export type Operation = OperationId | 'api';

/** Names the request that a hook is told of. */
export type RequestFacts = {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  /** Counts the requests of this call, from 1. */
  readonly attempt: number;
};

/** Is told of a request before it leaves; headers that are set here go out, the key is not among them. */
export type RequestHook = (request: RequestFacts & { readonly headers: Headers }) => unknown;

/** Is told of an answer once its body has come. */
export type ResponseHook = (
  answer: RequestFacts & {
    readonly status: number;
    readonly headers: Headers;
    readonly requestId: string | undefined;
    /** Milliseconds from the request to the end of the body. */
    readonly duration: number;
  },
) => unknown;

/** Is told before a request is sent again: what failed, and how many milliseconds are waited. */
export type RetryHook = (
  retry: Pick<RequestFacts, 'operation' | 'attempt'> & {
    readonly error: ServiceError;
    readonly delay: number;
  },
) => unknown;

/** Lists the hooks of a client; a promise is awaited, and one that throws rejects the call. */
export type Hooks = {
  readonly onRequest?: RequestHook | undefined;
  readonly onResponse?: ResponseHook | undefined;
  readonly onRetry?: RetryHook | undefined;
};

/** Runs a hook. @throws ConfigurationError with what the hook threw as its cause */
export async function runHook<Name extends keyof Hooks>(
  hooks: Hooks,
  name: Name,
  facts: Parameters<NonNullable<Hooks[Name]>>[0],
): Promise<void> {
  try {
    await (hooks[name] as ((facts: unknown) => unknown) | undefined)?.(facts);
  } catch (cause) {
    throw new ConfigurationError(`The ${name} hook failed.`, { cause: redactCause(cause) });
  }
}
