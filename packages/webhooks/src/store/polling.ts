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
    if (state === undefined) return 'released';
    if (state === 'confirmed') return state;
    await pause(pollInterval, signal);
  }
}

/** Claims by a step that gets the key or not, then looks who has it; once more when it has lapsed in between. */
export async function claimOrRead(take: () => Promise<boolean>, read: ReadState): Promise<ClaimState> {
  for (;;) {
    if (await take()) return 'claimed';
    const state = await read();
    if (state !== undefined) return state;
  }
}

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
