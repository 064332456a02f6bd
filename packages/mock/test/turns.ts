import { createRandom } from '../../../test/support/random.ts';

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
