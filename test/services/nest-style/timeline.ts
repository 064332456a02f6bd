import { DURATION_SPREAD } from './settings.ts';
import type { RandomStream } from './random.ts';

/** The time of the service. Every duration is divided by the speed. */
export class Timeline {
  readonly #speed: number;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return Date.now();
  }

  scale(duration: number): number {
    return duration / this.#speed;
  }

  after(duration: number, run: () => void): void {
    // A timer cannot be longer than 2^31 - 1 ms: it would fire at once.
    setTimeout(run, Math.min(this.scale(duration), 2 ** 31 - 1));
  }

  /** Returns the number of whole seconds of a header, at least one. */
  headerSeconds(milliseconds: number): number {
    return Math.max(1, Math.ceil(milliseconds / 1_000));
  }
}

/** Returns a duration that is shorter or longer by a random part. */
export function vary(duration: number, random: RandomStream): number {
  return duration * (1 + DURATION_SPREAD * (random.next() * 2 - 1));
}

export function formatTimestamp(time: number): string {
  return new Date(time).toISOString().replace('Z', '+00:00');
}
