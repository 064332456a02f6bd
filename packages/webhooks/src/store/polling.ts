import type { ClaimOutcome, ClaimState } from './store.ts';

// Captured at load: a test that installs fake timers later must not suspend a wait.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Reads the state of a key: undefined without a claim. */
export type ReadState = () => Promise<'in_progress' | 'confirmed' | undefined>;

export interface PollOptions {
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
    const stop = (): void => stopTimer(timer);
    const timer = startTimer(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, duration);
    signal.addEventListener('abort', stop, { once: true });
  });
}
