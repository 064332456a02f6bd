interface Waiting {
  at: number;
  go: () => void;
}

/** Runs one step at a time, ordered by time. The effects of a step are complete before the next one. */
export class Timeline {
  readonly #waiting: Waiting[] = [];
  #now = 0;

  /** Waits for a number of ticks. Steps of the same tick run in the order of their calls. */
  async wait(ticks: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ at: this.#now + ticks, go: resolve });
    return promise;
  }

  /** Runs steps until a promise is settled. */
  async runUntil<Value>(promise: Promise<Value>): Promise<Value> {
    const state = { isSettled: false };
    const settle = (): void => void (state.isSettled = true);
    promise.then(settle, settle);
    await this.#settle();
    while (!state.isSettled) {
      this.#takeNext();
      await this.#settle();
    }
    return promise;
  }

  #takeNext(): void {
    const at = Math.min(...this.#waiting.map((step) => step.at));
    const next = this.#waiting.findIndex((step) => step.at === at);
    if (next < 0) throw new Error('everybody waits for somebody else');
    const [{ go }] = this.#waiting.splice(next, 1) as [Waiting];
    this.#now = at;
    go();
  }

  /** Waits until nothing is left to run without a further step. */
  async #settle(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
