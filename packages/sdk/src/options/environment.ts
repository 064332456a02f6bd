type Scope = Readonly<Record<string, unknown>>;
type Process = { readonly env?: Scope; readonly versions?: Scope };

/** Reads a variable of the environment where there is one; an empty one counts as absent. */
export function readVariable(name: string, scope: object = globalThis): unknown {
  try {
    return (scope as { process?: Process }).process?.env?.[name] || undefined;
  } catch {
    // Deno refuses a variable that it was not allowed to read.
    return undefined;
  }
}

/**
 * Tells whether `fetch` repeats a request whose body it holds, and takes streams, of which it holds nothing: that of Node on
 * 421, that of Deno when a connection that it uses again breaks. Bun passes for Node in much else.
 */
export function repeatsByItself(scope: object = globalThis): boolean {
  const { undici, deno, bun } = (scope as { process?: Process }).process?.versions ?? {};
  return Boolean((undici ?? deno) && !bun);
}

/** Tells whether code runs where its users can read it: a page, a browser's worker, React Native (spec §5). */
export function isBrowserLike(scope: object = globalThis): boolean {
  const { window, document, navigator, importScripts, Deno, WorkerGlobalScope } = scope as Scope;
  const { product, userAgent } = (navigator ?? {}) as Scope;
  if ((window && document) || product === 'ReactNative') return true;
  // These run on servers and share the names of a browser's worker.
  if (userAgent === 'Cloudflare-Workers' || Deno) return false;
  const isWorker = typeof WorkerGlobalScope === 'function' && scope instanceof WorkerGlobalScope;
  return isWorker || typeof importScripts === 'function';
}
