import { settleWithin } from '@service/internal';

/** The results of a claim. */
export const CLAIM_STATES = ['claimed', 'in_progress', 'confirmed'] as const;

/** The ends of a claim in progress. */
export const CLAIM_OUTCOMES = ['confirmed', 'released'] as const;

/**
 * A store of handled events. Implement it over a database that processes share.
 *
 * Each delivery claims with a unique `owner`. Only that owner can renew, confirm or release: the claim of a
 * crashed process expires, and a process that resumes late must not end the claim of another. The receiver
 * treats unlisted results of `claim` and `wait` as a failure of the store.
 */
export interface DedupeStore {
  /**
   * Time for which handled events are remembered, in milliseconds. Required with `maxEventAge` and for
   * `handleRetrieved`.
   */
  readonly ttl?: number;
  /**
   * Claims a key for an owner, atomically: exactly one of any number of concurrent calls gets `claimed`. Returns
   * `in_progress` for a claim of another delivery, and `confirmed` for a handled event.
   *
   * @param lease Milliseconds until the claim expires unless it is renewed: 4 000 for a store with `renew`,
   * otherwise the `maxHandlerTime` of the receiver. The default is 60 000.
   */
  claim(key: string, owner: string, lease?: number): Promise<'claimed' | 'in_progress' | 'confirmed'>;
  /**
   * Extends a claim to `lease` milliseconds from now, also if it has expired and no other owner claimed the
   * key. Returns `lost` if another owner holds or has confirmed the key. The receiver calls it every second while a handler runs, for at most `maxHandlerTime`.
   */
  renew?(key: string, owner: string, lease: number): Promise<'renewed' | 'lost'>;
  /**
   * Marks the key as handled for `ttl` from now, also if the claim has expired. For a key that another owner has
   * confirmed it renews the `ttl` and returns `lost`: without the renewal, a payment that is still read after the
   * `ttl` is `too_old` instead of a `duplicate`. Has no effect if another owner claimed the key.
   */
  confirm(key: string, owner: string): Promise<'confirmed' | 'lost' | void>;
  /** Deletes the claim, so that the next delivery can claim the key. Has no effect for any other owner. */
  release(key: string, owner: string): Promise<void>;
  /**
   * Waits for the end of a claim in progress. Without one it resolves immediately, to `released` unless the
   * key is confirmed. When the signal is aborted, stop polling and end subscriptions. The promise may stay
   * pending.
   */
  wait(key: string, signal: AbortSignal): Promise<'confirmed' | 'released'>;
}

/** Maximum time per command, in milliseconds. The timeout of the sender is 10 s. */
const COMMAND_TIMEOUT = 5_000;

const createError = (): Error => new Error(`The store did not respond within ${COMMAND_TIMEOUT} ms.`);

/** Rejects if a command takes longer than 5 s. The command itself may still take effect. */
export function withTimeout<Result>(command: Promise<Result>): Promise<Result> {
  return settleWithin(COMMAND_TIMEOUT, command, createError);
}
