/** Lists what a claim can find. */
export const CLAIM_STATES = ['claimed', 'in_progress', 'confirmed'] as const;

/** Lists how a claim in progress can end. */
export const CLAIM_OUTCOMES = ['confirmed', 'released'] as const;

/** Tells what a claim found: `claimed` by this call, `in_progress` elsewhere, or `confirmed` earlier. */
export type ClaimState = (typeof CLAIM_STATES)[number];

/** Tells how a claim that was in progress ended. */
export type ClaimOutcome = (typeof CLAIM_OUTCOMES)[number];

/**
 * Remembers which events were handled, so that each takes effect once. Implement it over a store that processes share.
 *
 * Each delivery claims under an `owner` of its own, and only that owner can confirm or release: a shared store lets the
 * claim of a crashed process lapse, and a process that wakes up late must not touch the claim of its successor.
 * Any answer but those listed here is taken for a failure of the store: nothing is handled and nothing acknowledged.
 */
export interface DedupeStore {
  /** Tells how long a handled event is remembered, in milliseconds; needed with the `freshness` option. */
  readonly ttl?: number;
  /** Claims a key for an owner, atomically: of any number of concurrent calls one gets `claimed`. */
  claim(key: string, owner: string): Promise<ClaimState>;
  /** Remembers the key as handled, also when the claim has lapsed. Does nothing when another owner holds it. */
  confirm(key: string, owner: string): Promise<void>;
  /** Forgets the claim, so that the next delivery gets it. Does nothing when the owner no longer holds it. */
  release(key: string, owner: string): Promise<void>;
  /**
   * Waits for the end of a claim in progress; resolves at once when there is none (`released` unless confirmed).
   * The receiver aborts the signal when it stops waiting: end polling and subscriptions then; the promise may stay pending.
   */
  wait(key: string, signal: AbortSignal): Promise<ClaimOutcome>;
}
