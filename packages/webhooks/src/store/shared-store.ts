import { assertDuration, assertKnownOptions, assertWholeNumber } from '../options.ts';

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

// Captured at load: a test that installs fake timers later must not suspend a command.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/**
 * Validates the options of a store and applies defaults.
 *
 * @throws {WebhookError} `invalid_options`
 */
export function parseSharedStoreOptions(
  options: SharedStoreOptions,
  additionalNames: readonly string[],
  caller: string,
): SharedStoreSettings {
  assertKnownOptions(options, ['ttl', 'pollInterval', 'commandTimeout', ...additionalNames], caller);
  const { ttl = 604_800_000, pollInterval = 50, commandTimeout = 5_000 } = options;
  assertWholeNumber(ttl, 'ttl', 1);
  assertDuration(pollInterval, 'pollInterval', 1);
  assertDuration(commandTimeout, 'commandTimeout', 1);
  return { ttl, pollInterval, commandTimeout };
}

/**
 * Rejects if a command takes longer than `timeout` milliseconds. The command itself may still take effect.
 */
export async function withTimeout<Result>(command: Promise<Result>, timeout: number): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = startTimer(() => reject(new Error(`The store did not respond within ${timeout} ms.`)), timeout);
  });
  try {
    return await Promise.race([command, expired]);
  } finally {
    stopTimer(timer);
  }
}
