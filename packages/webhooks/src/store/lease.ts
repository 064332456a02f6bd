import { assertDuration, assertKnownOptions, assertWholeNumber } from '../options.ts';

/** Configures how long a store that processes share holds what. */
export interface LeaseOptions {
  /**
   * Bounds how long a claim outlives a process that crashed, in milliseconds. Let it be longer than any handler runs:
   * past it, a redelivery runs the handler again.
   * @default 60_000
   */
  readonly lease?: number | undefined;
  /**
   * Tells how long a handled event is remembered, in milliseconds.
   * @default 604_800_000, seven days
   */
  readonly ttl?: number | undefined;
  /**
   * Holds the pause between two looks of a waiting duplicate, in milliseconds.
   * @default 50
   */
  readonly pollInterval?: number | undefined;
}

/** Holds lease options that were checked and completed. */
export type LeaseSettings = { readonly [Name in keyof LeaseOptions]-?: number };

/** Completes and checks the options of a store, with those of its own. Throws `invalid_options`. */
export function parseLease(options: LeaseOptions, own: readonly string[], caller: string): LeaseSettings {
  assertKnownOptions(options, ['lease', 'ttl', 'pollInterval', ...own], caller);
  const { lease = 60_000, ttl = 604_800_000, pollInterval = 50 } = options;
  assertWholeNumber(lease, 'lease', 1);
  assertWholeNumber(ttl, 'ttl', lease);
  assertDuration(pollInterval, 'pollInterval', 1);
  return { lease, ttl, pollInterval };
}
