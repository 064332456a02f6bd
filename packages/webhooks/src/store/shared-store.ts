import { clearTimeout, type FieldsOf, setTimeout } from '@service/internal';
import { milliseconds } from '../options.ts';
import type { ClaimOutcome, ClaimState } from './store.ts';

/** The options of stores that several processes share. */
export interface SharedStoreOptions {
  /**
   * Time for which handled events are remembered, in milliseconds.
   *
   * @default 604_800_000
   */
  readonly ttl?: number | undefined;
  /**
   * Time between two reads while a duplicate waits, in milliseconds.
   *
   * @default 50
   */
  readonly pollInterval?: number | undefined;
  /**
   * Maximum time per command to the store, in milliseconds. If a claim takes longer, the receiver responds
   * 500 and the sender retries.
   *
   * @default 5_000
   */
  readonly commandTimeout?: number | undefined;
}

/** {@link SharedStoreOptions} with defaults applied. */
export type SharedStoreSettings = { readonly [Name in keyof SharedStoreOptions]-?: number };

/** The default lease of a claim, in milliseconds. */
export const DEFAULT_LEASE = 60_000;

/** The fields of {@link SharedStoreOptions}. */
export const sharedStoreFields: FieldsOf<SharedStoreOptions> = {
  ttl: milliseconds(1, Number.MAX_SAFE_INTEGER),
  pollInterval: milliseconds(1),
  commandTimeout: milliseconds(1),
};

/** Applies the defaults of {@link SharedStoreOptions}. */
export function applyDefaults(options: SharedStoreOptions): SharedStoreSettings {
  const { ttl = 604_800_000, pollInterval = 50, commandTimeout = 5_000 } = options;
  return { ttl, pollInterval, commandTimeout };
}

/**
 * Rejects if a command takes longer than `timeout` milliseconds. The command itself may still take effect.
 */
export async function withTimeout<Result>(command: Promise<Result>, timeout: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The store did not respond within ${timeout} ms.`)), timeout);
  });
  try {
    return await Promise.race([command, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the state of a key: undefined without a claim. */
export type ReadState = () => Promise<'in_progress' | 'confirmed' | undefined>;

interface PollOptions {
  readonly read: ReadState;
  /** Time between two reads, in milliseconds. */
  readonly pollInterval: number;
}

/** Polls a claim until it ends. After an abort the promise stays pending. */
export async function pollOutcome(
  { read, pollInterval }: PollOptions,
  signal: AbortSignal,
): Promise<ClaimOutcome> {
  for (;;) {
    const state = await read();
    if (signal.aborted) return new Promise(() => {});
    if (state === undefined) return 'released';
    if (state === 'confirmed') return state;
    await pause(pollInterval, signal);
  }
}

/**
 * Claims a key, or reads the state of the existing claim. Tries again if that claim expired between the two
 * commands.
 *
 * @throws {TypeError} if the key cannot be claimed and has no claim, as on a replica that lags
 */
export async function claimOrRead(
  claim: () => Promise<boolean>,
  read: () => Promise<ClaimState | undefined>,
): Promise<ClaimState> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (await claim()) return 'claimed';
    const state = await read();
    if (state !== undefined) return state;
  }
  throw new TypeError(
    'The key could not be claimed and has no claim. Connect the store to the primary, not to a replica.',
  );
}

const MAX_ATTEMPTS = 3;

function pause(duration: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return;
    const stop = (): void => clearTimeout(timer);
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, duration);
    signal.addEventListener('abort', stop, { once: true });
  });
}
