/** Damage of a response in transit: truncated, stalled in the middle, or bytes that are not HTTP. */
type Damage = 'truncated' | 'stalled' | 'garbage';

/** Headers that join those of an earlier source. Null removes one. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

/** Merges headers, whose names can have any case. Null and an empty text remove a header, and links add to each other. */
export function mergeHeaders(
  first: MockResponse['headers'],
  ...others: readonly HeaderChanges[]
): MockResponse['headers'] {
  const merged = new Map<string, [name: string, value: string]>();
  for (const [name, value] of [first, ...others].flatMap((each) => Object.entries(each))) {
    const lower = name.toLowerCase();
    const [known = name, earlier] = merged.get(lower) ?? [];
    merged.delete(lower);
    const isJoined = lower === 'link' && earlier !== undefined;
    if (value) merged.set(lower, [known, isJoined ? `${earlier}, ${value}` : value]);
  }
  return Object.fromEntries(merged.values());
}

/** A response, independent of its transport. */
export interface MockResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Default: no damage. */
  readonly damage?: Damage;
}

/** A response of the service before the headers of all responses join it. */
export interface Draft extends Omit<MockResponse, 'headers'> {
  readonly headers: HeaderChanges;
}

/** The statuses of responses that have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
export const statusesWithoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** The response to a request that the sandbox cannot handle because of a defect. */
export const FAILURE: MockResponse = {
  status: 500,
  headers: { 'Cache-Control': 'no-store', 'Content-Type': 'application/json' },
  body: '{"success":false,"error":{"type":"server_error","message":"The sandbox failed."}}',
};

/** The result of a request whose connection is reset instead of a response. */
export const CONNECTION_LOST = 'connection_lost';

/** A response, or a lost connection. */
export type MockResult = MockResponse | typeof CONNECTION_LOST;

/** A draft of a response, or a lost connection. */
export type DraftResult = Draft | typeof CONNECTION_LOST;
