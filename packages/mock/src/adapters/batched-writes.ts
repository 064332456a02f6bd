import { setImmediate } from '@service/internal';

/** Runs a function, which must not throw, at the end of the current turn of the event loop. */
export type BatchedWrites = (send: () => void) => void;

/**
 * Creates a batch, so that the responses to concurrent requests are written together: each separate write can
 * wake the client process, and interleaved writes take twice the time (decision 0011). `isHeld`: the responses wait.
 */
export function createBatchedWrites(isHeld: () => boolean): BatchedWrites {
  const waiting: (() => void)[] = [];
  const empty = (): void => {
    if (isHeld()) return void setImmediate(empty);
    for (let send = waiting.shift(); send !== undefined; send = waiting.shift()) send();
  };
  return (send) => {
    if (waiting.push(send) === 1) setImmediate(empty);
  };
}
