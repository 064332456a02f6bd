interface Listener {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

// One listener per signal: with eleven listeners on one signal, Node 20 warns of a leak.
const listeners = new WeakMap<AbortSignal, Listener>();

/** Runs a function when a signal is aborted. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const { callbacks, notify } = listeners.get(signal) ?? listen(signal);
  callbacks.add(run);
  return () => {
    // A second call must not remove the listener of other callbacks that were added in between.
    if (!callbacks.delete(run) || callbacks.size > 0) return;
    signal.removeEventListener('abort', notify);
    listeners.delete(signal);
  };
}

function listen(signal: AbortSignal): Listener {
  const callbacks = new Set<() => void>();
  const notify = (): void => callbacks.forEach((run) => run());
  signal.addEventListener('abort', notify, { once: true });
  listeners.set(signal, { callbacks, notify });
  return { callbacks, notify };
}
