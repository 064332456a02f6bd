/** Runs tasks one after another, in the order in which they were added. */
export interface Queue {
  /** Adds a task; fulfilled when it has run. */
  readonly add: (task: () => Promise<void>) => Promise<void>;
  /** Adds a task that runs already: what is added later waits for it too. */
  readonly addRunning: (running: Promise<void>) => Promise<void>;
  /** Fulfilled when nothing is left to run, what the tasks added included. */
  readonly idle: () => Promise<void>;
}

/** Creates an empty queue; its tasks must not throw. */
export function createQueue(): Queue {
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
    async idle() {
      for (let seen: Promise<void> | undefined; seen !== tail; await seen) seen = tail;
    },
  };
}
