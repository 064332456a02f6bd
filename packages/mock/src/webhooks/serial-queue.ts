/** Runs tasks one after another, in the order in which they were added. */
export interface SerialQueue {
  /** Adds a task; fulfilled when it has run. */
  readonly add: (task: () => Promise<void>) => Promise<void>;
  /** Adds a task that runs already: what is added later waits for it too. */
  readonly addRunning: (running: Promise<void>) => Promise<void>;
}

/** Creates an empty queue; its tasks must not throw. */
export function createSerialQueue(): SerialQueue {
  let tail = Promise.resolve();
  return {
    add(task) {
      tail = tail.then(task);
      return tail;
    },
    addRunning(running) {
      tail = tail.then(() => running);
      return running;
    },
  };
}
