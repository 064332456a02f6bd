/** Waits for the next turn of the caller. */
export type Pause = () => Promise<void>;

/**
 * Creates a scheduler for concurrent tasks: it resumes paused tasks in a random order that depends only on
 * the seed, sometimes immediately.
 */
export function createTurns(seed: number): Pause {
  const random = createRandom(seed);
  const waiting: (() => void)[] = [];
  const release = (): void => waiting.splice(Math.floor(random() * waiting.length), 1)[0]?.();
  return async () => {
    if (random() < 0.2) return;
    await new Promise<void>((go) => {
      waiting.push(go);
      setImmediate(release);
    });
  };
}

/** Creates the mulberry32 generator of numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
