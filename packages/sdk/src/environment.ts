type Scope = Readonly<Record<string, unknown>>;

/** Reads a variable of the environment where there is one; an empty one counts as absent. */
export function readVariable(name: string, scope: object = globalThis): string | undefined {
  try {
    const { process } = scope as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
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
  const { process } = scope as { process?: { versions?: Record<string, string | undefined> } };
  const { undici, deno, bun } = process?.versions ?? {};
  return (undici !== undefined || deno !== undefined) && bun === undefined;
}

/** Tells whether code runs where its users can read it: a page, a browser's worker, React Native (spec §5). */
export function isBrowserLike(scope: object = globalThis): boolean {
  const { window, document, navigator, importScripts, Deno } = scope as Scope;
  if (window !== undefined && document !== undefined) return true;
  const { product, userAgent } = (navigator ?? {}) as { product?: unknown; userAgent?: unknown };
  if (product === 'ReactNative') return true;
  // These run on servers and share the names of a browser's worker.
  if (userAgent === 'Cloudflare-Workers' || Deno !== undefined) return false;
  return typeof importScripts === 'function' || isWorkerScope(scope);
}

function isWorkerScope(scope: object): boolean {
  const { WorkerGlobalScope } = scope as Scope;
  return typeof WorkerGlobalScope === 'function' && scope instanceof WorkerGlobalScope;
}
