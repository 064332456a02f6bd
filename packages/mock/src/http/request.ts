import type { Transport } from '../state/transport.ts';

/** The largest request body that is read, in bytes (contract.md 1). */
export const MAX_BODY_BYTES = 65_536;

export type { Transport } from '../state/transport.ts';

/** Describes a request as every way in can: what an adapter reads from its runtime. */
export interface MockRequest {
  readonly transport: Transport;
  /** In upper case. */
  readonly method: string;
  /** The path as a URL parser leaves it, from the leading slash on, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; empty when there is none. */
  readonly search: string;
  /** Returns a header by its lower-case name, several values joined by a comma, or null. */
  readonly header: (name: string) => string | null;
  /** Goes through all headers, names in any case; those that carry keys included. */
  readonly headers: () => Iterable<readonly [name: string, value: string]>;
  /** Reads the body; undefined as soon as it turns out to be larger than `limit` bytes. Rejects when it breaks off. */
  readonly readBody: (limit: number) => Promise<Uint8Array | undefined>;
}

/** Names how an answer is damaged on its way: cut in the middle, never ended, or no HTTP at all (contract.md 7). */
export type Damage = 'truncated' | 'stalled' | 'garbage';

/** Describes a response as every way out can send it. */
export interface MockResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Sound when left out. */
  readonly damage?: Damage;
}

/** Tells that a call broke off before its body was complete; nobody waits for an answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted' as const;
}

/** Marks a call that gets no answer: the connection is lost. */
export const CONNECTION_LOST = 'connection_lost';

/** Holds what became of a call. */
export interface Handled {
  readonly response: MockResponse | typeof CONNECTION_LOST;
  /** Must be called once the answer has left, or never will: what waits for that moment goes on. */
  readonly flushed: () => void;
}

/** Answers a call; never throws. */
export type HandleRequest = (request: MockRequest) => Promise<Handled>;
