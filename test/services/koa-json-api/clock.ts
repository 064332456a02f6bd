/** Real time, in which the durations of the service are shorter by a factor. */
export class Clock {
  readonly #speed: number;
  readonly #start = performance.now();

  constructor(speed: number) {
    this.#speed = speed;
  }

  /** Returns the milliseconds that a duration of the service takes. */
  scale(seconds: number): number {
    return (seconds * 1_000) / this.#speed;
  }

  /** Returns the seconds of the service since its start. */
  elapsed(): number {
    return ((performance.now() - this.#start) / 1_000) * this.#speed;
  }

  after(seconds: number, task: () => void): void {
    setTimeout(task, this.scale(seconds));
  }
}

export function formatTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}
