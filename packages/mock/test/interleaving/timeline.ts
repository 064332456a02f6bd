type Waiting = { at: number; label: string; go: () => void };

/** Lets steps go on one at a time, in the order of their times: what follows from one has happened before the next. */
export class Timeline {
  /** The steps taken so far, in order. */
  readonly taken: string[] = [];
  readonly #waiting: Waiting[] = [];
  #now = 0;

  /** Waits so many ticks; of two steps at one tick the one goes on first that waited first. */
  async wait(ticks: number, label: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ at: this.#now + ticks, label, go: resolve });
    return promise;
  }

  /** Goes on until a promise is settled. */
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
    const [{ label, go }] = this.#waiting.splice(next, 1) as [Waiting];
    this.#now = at;
    this.taken.push(label);
    go();
  }

  /** Lets everything happen that needs no further step. */
  async #settle(): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
  }
}
