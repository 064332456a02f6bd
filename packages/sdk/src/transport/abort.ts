type Watch = { readonly runs: Set<() => void>; readonly fire: () => void };

// One listener for all that watch a signal: at eleven on one signal, Node 20 warns of a leak.
const watches = new WeakMap<AbortSignal, Watch>();

/** Runs a function when a signal is aborted, unless the returned function is called first. */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const { runs, fire } = watches.get(signal) ?? watch(signal);
  runs.add(run);
  return () => {
    // Called again, it must not end the watch of others that came meanwhile.
    if (!runs.delete(run) || runs.size > 0) return;
    signal.removeEventListener('abort', fire);
    watches.delete(signal);
  };
}

function watch(signal: AbortSignal): Watch {
  const runs = new Set<() => void>();
  const fire = (): void => runs.forEach((run) => run());
  signal.addEventListener('abort', fire, { once: true });
  watches.set(signal, { runs, fire });
  return { runs, fire };
}
