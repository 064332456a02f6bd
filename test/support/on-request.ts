type Handle = (request: Request) => Response | Promise<Response>;

/** Creates a `fetch` from a function that takes a `Request`. */
export function onRequest(handle: Handle): typeof globalThis.fetch {
  return async (input, init) => handle(new Request(input, init));
}

/** Returns options of a client whose `fetch` takes a `Request`, for the client. */
export function adaptFetch<Options extends object>(options: Options): Options {
  const { fetch } = options as { readonly fetch?: Handle };
  return fetch ? { ...options, fetch: onRequest(fetch) } : options;
}
