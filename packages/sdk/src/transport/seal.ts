import { isBrowserLike, isNode } from '../environment.ts';

/**
 * Makes a request that can be sent only once. The `fetch` of Node repeats a request that is answered 421, a POST too, as
 * long as it holds the bytes of the body; of a stream it holds none. Elsewhere the request stays as it is, since browsers
 * send no streams over HTTP/1. Reads, which do no harm when repeated, stay as they are as well.
 */
export async function seal(request: Request): Promise<Request> {
  if (!isNode() || isBrowserLike() || request.method === 'GET' || request.method === 'HEAD') return request;
  const bytes = await request.arrayBuffer();
  const init: OnceOnly = { body: new Response(bytes).body, duplex: 'half' };
  const sealed = new Request(request, init);
  // Without it the body would go out in chunks, which not every server takes.
  sealed.headers.set('content-length', String(bytes.byteLength));
  return sealed;
}

type OnceOnly = RequestInit & { readonly duplex: 'half' };
