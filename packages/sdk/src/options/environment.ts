type Scope = Readonly<Record<string, unknown>>;
interface Process {
  readonly env?: Scope;
  readonly versions?: Scope;
}

/** Returns an environment variable, or undefined if it is absent or empty, or the runtime has none. */
export function readVariable(name: string): unknown {
  try {
    return (globalThis as { process?: Process }).process?.env?.[name] || undefined;
  } catch {
    // Deno throws without permission to read the variable.
    return undefined;
  }
}

/**
 * Returns true if `fetch` can replay a request whose body is not a stream: in Node on 421, in Deno on a
 * broken keep-alive connection. Not in Bun, although it imitates Node.
 */
export function repeatsByItself(): boolean {
  const { undici, deno, bun } = (globalThis as { process?: Process }).process?.versions ?? {};
  return Boolean((undici ?? deno) && !bun);
}

/**
 * Returns true if the runtime accepts `cache: 'no-store'`. Older releases of workerd throw, and React Native
 * adds a query parameter.
 */
export function acceptsNoStore(): boolean {
  const url = 'http://localhost/';
  try {
    return new Request(url, { cache: 'no-store' }).url === url;
  } catch {
    return false;
  }
}

/**
 * Returns true if users can read the code: in a page, in a worker of a browser and in React Native
 * (docs/contract.md#authentication).
 */
export function isBrowserLike(): boolean {
  const { window, document, navigator, importScripts, Deno, WorkerGlobalScope } = globalThis as Scope;
  const { product, userAgent } = (navigator ?? {}) as Scope;
  if ((window && document) || product === 'ReactNative') return true;
  // These run on servers, and have the same globals as a browser worker.
  if (userAgent === 'Cloudflare-Workers' || Deno) return false;
  const isWorker = typeof WorkerGlobalScope === 'function' && globalThis instanceof WorkerGlobalScope;
  return isWorker || typeof importScripts === 'function';
}
