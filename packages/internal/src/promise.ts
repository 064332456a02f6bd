/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Checks whether a value is a thenable. Awaiting any other value would cost a microtask. */
export function isPromise<Value>(value: MaybePromise<Value>): value is Promise<Value> {
  return typeof (value as Partial<Promise<Value>> | null | undefined)?.then === 'function';
}

/** A promise and the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | PromiseLike<Value>) => void;
  readonly reject: (reason?: unknown) => void;
}

/** Creates a promise with the functions that settle it. `Promise.withResolvers` needs Node 22. */
export function createDeferred<Value = void>(): Deferred<Value> {
  let resolve!: Deferred<Value>['resolve'];
  let reject!: Deferred<Value>['reject'];
  const promise = new Promise<Value>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}

/** An event that happens once. It has no promise unless somebody waits. */
export class Signal {
  #deferred: Deferred<void> | undefined;

  /** Resolves after the event. Called before it. */
  wait(): Promise<void> {
    return (this.#deferred ??= createDeferred()).promise;
  }

  isAwaited(): boolean {
    return this.#deferred !== undefined;
  }

  fire(): void {
    this.#deferred?.resolve();
  }
}

/** Settles like a promise, or rejects after some milliseconds. */
export async function settleWithin<Value>(
  milliseconds: number,
  promise: MaybePromise<Value>,
  createError: () => Error,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), milliseconds);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
