import type { Mode } from '@service/contract';
import type { Profile } from '../domain/profile.ts';
import type { MockResult } from '../domain/response.ts';
import type { Transport } from '../state/request-log.ts';

/** Maximum size of a request body, in bytes (docs/contract.md#transport). */
export const MAX_BODY_BYTES = 65_536;

export { CONNECTION_LOST, FAILURE, type MockResponse, type MockResult } from '../domain/response.ts';
export type { Transport } from '../state/request-log.ts';

/** A request, independent of its transport. */
export interface MockRequest {
  readonly transport: Transport;
  /** In upper case. */
  readonly method: string;
  /** The path as a URL parser normalizes it, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark. Empty without a query. */
  readonly search: string;
  /** Returns a header by its lower-case name, with multiple values joined by a comma, or null. */
  readonly header: (name: string) => string | null;
  /** The names and values of all headers in turn, including those with API keys. Names can have any case. */
  readonly headers: readonly string[];
  /**
   * Reads the body. Returns undefined if it is larger than `limit` bytes. Rejects if the client disconnects.
   */
  readonly readBody: (limit: number) => Promise<Uint8Array | undefined>;
}

/** What a response can show: the mode and profile of its caller, and its request. */
export interface ResponseContext {
  /** Undefined for unknown callers. */
  readonly mode: Mode | undefined;
  readonly profile: Profile;
  /** The time is that of the sandbox, in milliseconds since 1970. */
  readonly request: { readonly id: string; readonly at: number; readonly path: string };
}

/** The client disconnected before the end of the request body. */
export class RequestAborted extends Error {}

/** A handled request. */
export interface Handled {
  readonly response: MockResult;
  /**
   * Must be called after the response was sent, or once it cannot be sent. Delivery of its events waits for
   * this call. Absent if there are none.
   */
  readonly flushed?: () => void;
}

/** Handles a request. Never throws. */
export type HandleRequest = (request: MockRequest) => Promise<Handled>;
