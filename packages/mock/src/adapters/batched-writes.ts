/** Takes what is to be sent, and sends it at the end of this turn of the event loop. */
export type BatchedWrites = (send: () => void) => void;

// Kept from load time, so that fake timers installed later cannot hold back an answer.
const { setImmediate } = globalThis;

/**
 * Creates an outbox, so that answers to calls that arrived together leave together: every write can wake the process at the
 * other end, and writes between the calls cost twice what they cost one after another (decision 0011).
 */
export function createBatchedWrites(): BatchedWrites {
  const waiting: (() => void)[] = [];
  const empty = (): void => {
    try {
      for (let send = waiting.shift(); send !== undefined; send = waiting.shift()) send();
    } finally {
      // One that throws does not hold back the others.
      if (waiting.length > 0) setImmediate(empty);
    }
  };
  return (send) => {
    if (waiting.push(send) === 1) setImmediate(empty);
  };
}
