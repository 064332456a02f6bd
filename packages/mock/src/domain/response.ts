/** Damage of a response in transit: truncated, stalled in the middle, or bytes that are not HTTP. */
export type Damage = 'truncated' | 'stalled' | 'garbage';

/** A response, independent of its transport. */
export interface MockResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Default: no damage. */
  readonly damage?: Damage;
}

/** The result of a request whose connection is reset instead of a response. */
export const CONNECTION_LOST = 'connection_lost';

/** A response, or a lost connection. */
export type MockResult = MockResponse | typeof CONNECTION_LOST;
