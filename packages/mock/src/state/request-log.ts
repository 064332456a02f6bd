import type { LoggedResponse, LoggedRequest } from './logged-request.ts';

/** The limits of a request log. */
export interface RequestLogBounds {
  /** Maximum number of requests; 0 turns the log off. */
  readonly requests: number;
  /** Maximum number of characters over all requests. */
  readonly characters: number;
}

/** The size of a request without its texts, in characters. */
const OVERHEAD = 512;

/** Returns the number of characters of a request and its response. */
function measure({ path, search, headers, body, response }: LoggedRequest): number {
  let size = OVERHEAD + path.length + search.length + (body?.length ?? 0);
  for (const [name, value] of headers) size += name.length + value.length;
  if (response !== null && response !== 'connection_lost') size += response.body?.length ?? 0;
  return size;
}

/** The request log of a sandbox. Adding a request drops the oldest ones over the limits. */
export class RequestLog {
  /** Maximum number of requests; 0 when it is off. */
  readonly capacity: number;
  readonly #characters: number;
  readonly #records = new Set<LoggedRequest>();
  readonly #listeners = new Set<(record: LoggedRequest) => void>();
  #used = 0;
  #dropped = 0;

  constructor({ requests, characters }: RequestLogBounds) {
    this.capacity = requests;
    this.#characters = characters;
  }

  /** Adds a request on arrival. */
  add(record: LoggedRequest): void {
    if (this.capacity === 0) return;
    this.#records.add(record);
    this.#weigh(record);
  }

  /** Adds the response to a request. */
  complete(record: LoggedRequest, response: LoggedResponse): void {
    record.response = response;
    // The log may have dropped the request in the meantime.
    if (record.size > 0) this.#weigh(record);
    for (const listener of this.#listeners) listener(record);
  }

  /** Returns the requests in the order of their arrival. */
  list(): readonly LoggedRequest[] {
    return [...this.#records];
  }

  /** Removes the requests of an account, or all requests. */
  clear(account?: string): void {
    for (const record of this.#records)
      if (account === undefined || record.account === account) this.#remove(record);
  }

  /** Returns the number of requests that were dropped to stay within the limits. */
  dropped(): number {
    return this.#dropped;
  }

  /** Calls a listener after each response. Returns a function that removes it. */
  watch(listener: (record: LoggedRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #weigh(record: LoggedRequest): void {
    const size = measure(record);
    this.#used += size - record.size;
    record.size = size;
    for (const oldest of this.#records) {
      if (this.#records.size <= this.capacity && this.#used <= this.#characters) return;
      this.#remove(oldest);
      this.#dropped += 1;
    }
  }

  #remove(record: LoggedRequest): void {
    this.#records.delete(record);
    this.#used -= record.size;
    record.size = 0;
  }
}
