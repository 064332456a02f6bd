import type { ClaimOutcome, ClaimState } from './store.ts';

// Held from the start: timers that a test replaces later must not freeze a wait.
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Reads what is known of a key; `undefined` when nobody holds it. */
export type ReadState = () => Promise<'in_progress' | 'confirmed' | undefined>;

/** Describes how to watch a claim. */
export interface Watch {
  readonly read: ReadState;
  /** Holds the pause between two looks, in milliseconds. */
  readonly pollInterval: number;
}

/** Looks at a claim again and again until it ends; past the abort it stays pending and asks no more. */
export async function pollOutcome({ read, pollInterval }: Watch, signal: AbortSignal): Promise<ClaimOutcome> {
  for (;;) {
    const state = await read();
    if (signal.aborted) return new Promise(() => {});
    if (state === undefined) return 'released';
    if (state === 'confirmed') return state;
    await pause(pollInterval, signal);
  }
}

/**
 * Claims by a step that gets the key or not, then looks who has it; again when it has lapsed in between. Throws where the key
 * is neither to be had nor held: that is a replica that lags, or a client that shows no rows.
 */
export async function claimOrRead(
  take: () => Promise<boolean>,
  read: () => Promise<ClaimState | undefined>,
): Promise<ClaimState> {
  for (let round = 0; round < ROUNDS; round += 1) {
    if (await take()) return 'claimed';
    const state = await read();
    if (state !== undefined) return state;
  }
  throw new TypeError('The store neither gives the key nor says who holds it. Is it read from a replica?');
}

const ROUNDS = 3;

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
