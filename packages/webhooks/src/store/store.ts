/** Lists what a claim can find. */
export const CLAIM_STATES = ['claimed', 'in_progress', 'confirmed'] as const;

/** Lists how a claim in progress can end. */
export const CLAIM_OUTCOMES = ['confirmed', 'released'] as const;

/** Tells what a claim found: `claimed` by this call, `in_progress` elsewhere, or `confirmed` earlier. */
export type ClaimState = (typeof CLAIM_STATES)[number];

/** Tells how a claim that was in progress ended. */
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

/** The result of a renewal: `lost` if another owner holds or has confirmed the key. */
export type Renewal = 'renewed' | 'lost';

/** The result of a confirmation: `lost` if another owner holds or has confirmed the key. */
export type Confirmation = 'confirmed' | 'lost';

/**
 * Remembers which events were handled, so that each takes effect once. Implement it over a store that processes share.
 *
 * Each delivery claims under its own `owner`, and only that owner can renew, confirm or release: the claim of a crashed
 * process expires, and a process that resumes late must not end the claim of its successor.
 * `claim` and `wait` return only the values listed here. The receiver treats any other value as a failure of the store.
 */
export interface DedupeStore {
  /** Tells how long a handled event is remembered, in milliseconds; needed with the `freshness` option. */
  readonly ttl?: number;
  /**
   * Claims a key for an owner, atomically: exactly one of any number of concurrent calls gets `claimed`.
   * @param lease Milliseconds until the claim expires unless it is renewed: 4 000 for a store with `renew`, else the
   * receiver's `maxHandlerTime`.
   * @default lease 60_000
   */
  claim(key: string, owner: string, lease?: number): Promise<ClaimState>;
  /**
   * Extends a claim by `lease` milliseconds from now, also if it has expired and no other owner took it. The receiver calls it
   * every second while a handler runs, for at most `maxHandlerTime`. A store without it must keep a claim for as long as
   * a handler can run.
   */
  renew?(key: string, owner: string, lease: number): Promise<Renewal>;
  /** Remembers the key as handled, also if the claim has expired. Changes nothing if another owner took it. */
  confirm(key: string, owner: string): Promise<Confirmation | void>;
  /** Forgets the claim, so that the next delivery gets it. Does nothing when the owner no longer holds it. */
  release(key: string, owner: string): Promise<void>;
  /**
   * Waits for the end of a claim in progress; resolves at once when there is none (`released` unless confirmed).
   * The receiver aborts the signal when it stops waiting: end polling and subscriptions then; the promise may stay pending.
   */
  wait(key: string, signal: AbortSignal): Promise<ClaimOutcome>;
}
