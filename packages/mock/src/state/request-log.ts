import type { Mode, OperationId } from '@service/contract';
import { Signal } from '@service/internal';
import type { Instant } from '../domain/json.ts';
import type { AccountState } from './state.ts';
import type { Fault } from '../domain/fault.ts';

/** The size of a request without its texts, in characters. */
const OVERHEAD = 512;

/** Returns the number of characters of a request and its response. */
function measure({ path, search, headers, body, response }: LoggedRequest): number {
  const answer = response === null || response === 'connection_lost' ? null : response.body;
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0) + (answer?.length ?? 0);
  for (const text of headers) size += text.length;
  return size;
}

/** The request log of a sandbox. Adding a request drops the oldest ones over the limits. */
export class RequestLog {
  /** Maximum number of requests; 0 when it is off. */
  readonly capacity: number;
  /** Maximum number of characters over all requests. */
  readonly #characters: number;
  #records: LoggedRequest[] = [];
  #used = 0;
  #dropped = 0;
  /** The number of responses so far. */
  completed = 0;
  /** Fires at the next response. */
  answered: Signal = new Signal();

  constructor(capacity: number, characters: number) {
    this.capacity = capacity;
    this.#characters = characters;
  }

  /** Adds a request on arrival. */
  add(record: LoggedRequest): void {
    if (this.capacity === 0) return;
    this.#records.push(record);
    this.#resize(record, OVERHEAD);
  }

  /** Adds the response to a request. */
  complete(record: LoggedRequest, response: LoggedResponse): void {
    record.response = response;
    this.completed += 1;
    // The log may have dropped the request in the meantime.
    if (record.size > 0) this.#resize(record, measure(record));
    this.answered.fire();
    this.answered = new Signal();
  }

  /** Returns the requests in the order of their arrival. */
  list(): readonly LoggedRequest[] {
    return [...this.#records];
  }

  /** Removes the requests of an account, or all requests. */
  clear(account?: string): void {
    const isCleared = (record: LoggedRequest): boolean => account === undefined || record.account === account;
    for (const record of this.#records.filter(isCleared)) this.#forget(record);
    this.#records = this.#records.filter((record) => !isCleared(record));
  }

  /** Returns the number of requests that were dropped to stay within the limits. */
  dropped(): number {
    return this.#dropped;
  }

  #resize(record: LoggedRequest, size: number): void {
    this.#used += size - record.size;
    record.size = size;
    while (this.#records.length > this.capacity || this.#used > this.#characters) {
      this.#forget(this.#records.shift() as LoggedRequest);
      this.#dropped += 1;
    }
  }

  #forget(record: LoggedRequest): void {
    this.#used -= record.size;
    record.size = 0;
  }
}

/** The logged response of a request, or a lost connection. */
export type LoggedResponse =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | null;
    }
  | 'connection_lost';

/** A request in the request log. Views of it are computed when they are read. */
export interface LoggedRequest {
  readonly id: string;
  readonly at: Instant;
  readonly transport: Transport;
  readonly method: string;
  readonly path: string;
  readonly search: string;
  /** The names and values in turn. */
  readonly headers: readonly string[];
  readonly operation: OperationId | null;
  /** The id of the account of the API key. */
  account: string | null;
  /** The mode of the API key. */
  mode: Mode | null;
  fault: { readonly id: string; readonly kind: Fault['kind'] } | null;
  /** The body as text; null for a request without one and for a body that was not read. */
  body: string | null;
  /** The payment that the request created. */
  payment_id: string | null;
  /** The account state of that payment. Null without one, so that the log keeps no other state in memory. */
  accountState: AccountState | null;
  /** Null until the response. */
  response: LoggedResponse | null;
  /**
   * The size that counts against the limit of the request log; 0 when it is not in the log. Set by the log
   * only.
   */
  size: number;
}

/** The transport of a request: an injected `fetch`, MSW handlers, or a socket. */
export type Transport = 'fetch' | 'msw' | 'http';

/** Returns whether a transport cannot reproduce a fault exactly: MSW has a single network error. */
export function isDegraded(transport: Transport, kind: Fault['kind']): boolean {
  return transport === 'msw' && (kind === 'garbage' || kind.startsWith('reset_'));
}
