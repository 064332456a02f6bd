import type { Mode, OperationId, paths } from '@service/contract';
import type { Operation } from '../options/hooks.ts';
import type { HeaderFields } from '../options/headers.ts';
import type { RetryRule } from './retry.ts';

/** Changes a request that must not be carried out twice, so that the runtime cannot repeat it. */
export type PreventReplay = (init: PlainInit) => RequestInit;

/** A `RequestInit` with plain headers and a text body. */
export type PlainInit = Omit<RequestInit, 'headers'> & {
  readonly headers: HeaderFields;
  readonly body: string;
};

/** An unsigned request that can be sent several times. Header names are in lower case. */
export interface RequestDraft {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  /** Checks the URL for the mode of the API key. Undefined for operations with a fixed URL. */
  readonly check: ((mode: Mode) => void) | undefined;
  readonly preventReplay: PreventReplay | undefined;
  /** Whether it is too late to send the request, although its timeout has not passed. */
  readonly isTooLate: (() => boolean) | undefined;
}

/** The request of an operation: its path with the id filled in, the query, and the body as JSON. */
export interface OperationRequest {
  readonly operation: OperationId;
  readonly path: keyof paths | `/payments/${string}`;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  readonly check?: (mode: Mode) => void;
  readonly preventReplay?: PreventReplay;
  readonly isTooLate?: () => boolean;
  readonly idempotencyKey?: string | undefined;
  readonly mayRepeat?: RetryRule | undefined;
  /** The time until which a 404 means that reads do not show the payment yet. */
  readonly unseenUntil?: number | undefined;
}

/** Creates the `RequestInit` of a signed draft. Redirects are never followed. */
export function toInit(draft: RequestDraft, headers: HeaderFields, signal: AbortSignal): RequestInit {
  const { method, body, preventReplay } = draft;
  const init = { method, headers, signal, redirect: 'manual' } as const;
  if (body === undefined) return init;
  return preventReplay ? preventReplay({ ...init, body }) : { ...init, body };
}
