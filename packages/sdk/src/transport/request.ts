import type { Mode, OperationId, paths } from '@service/contract';
import type { Operation } from '../options/hooks.ts';
import type { HeaderFields } from '../options/headers.ts';

/** Says what a request takes that must not be carried out twice: how it is made, so that nothing beneath repeats it. */
export type Once = (init: PlainInit) => RequestInit;

/** Holds what `fetch` takes of a request with a body. */
export type PlainInit = Omit<RequestInit, 'headers'> & {
  readonly headers: HeaderFields;
  readonly body: string;
};

/** Holds a request that is still to be signed and can be sent again. Names of headers are in lower case. */
export type Draft = {
  readonly operation: Operation;
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  /** Checks where the request goes, for the mode of the key; the other operations have addresses that nobody can change. */
  readonly check: ((mode: Mode) => void) | undefined;
  readonly once: Once | undefined;
  /** Whether the request must not be sent any more, although its time is not up. */
  readonly isTooLate: (() => boolean) | undefined;
};

/** Describes what an operation asks: its path with the id filled in, the query and the body as JSON. */
export type Question = {
  readonly operation: OperationId;
  readonly path: keyof paths | `/payments/${string}`;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  readonly check?: (mode: Mode) => void;
  readonly once?: Once;
  readonly isTooLate?: () => boolean;
};

/** Makes what `fetch` takes of a draft that was signed. A redirect is never followed. */
export function toInit(draft: Draft, headers: HeaderFields, signal: AbortSignal): RequestInit {
  const { method, body, once } = draft;
  const init = { method, headers, signal, redirect: 'manual' } as const;
  if (body === undefined) return init;
  return once ? once({ ...init, body }) : { ...init, body };
}
