import { type Mock, vi } from 'vitest';

/** A handler that the test can wait for and end. */
export interface SlowHandler {
  readonly handler: Mock<() => Promise<void>>;
  readonly entered: Promise<void>;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

/** Creates a handler that runs until the test ends it. */
export function createSlowHandler(): SlowHandler {
  const entered = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const handler = vi.fn<() => Promise<void>>(() => {
    entered.resolve();
    return ended.promise;
  });
  return { handler, entered: entered.promise, end: ended.resolve, fail: ended.reject };
}
