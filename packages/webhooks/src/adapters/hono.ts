import type { RawBody } from '../bytes.ts';
import { toResponse } from '../answer.ts';
import type { Delivery, Receiver } from '../receiver.ts';

/** Describes what is needed of a context of Hono. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request; readonly bodyCache?: object };
}

/** Handles one request of Hono. */
export type HonoHandler = (context: HonoContextLike) => Promise<Response>;

/**
 * Converts a receiver to a handler of Hono: `app.all('/webhooks', toHono(receive))`. A middleware may have read the body
 * by `c.req.arrayBuffer()`, `c.req.text()` or `c.req.json()`, which keep its text, but not by `c.req.parseBody()`.
 */
export function toHono(receive: Receiver): HonoHandler {
  return async ({ req: { raw, bodyCache = {} } }) => {
    if (!raw.bodyUsed) return receive(raw);
    const { arrayBuffer, text } = bodyCache as { arrayBuffer?: Promise<RawBody>; text?: Promise<RawBody> };
    const read: Delivery['read'] = (_maxBytes, refuse) => {
      const kept = arrayBuffer ?? text;
      if (kept) return kept;
      throw refuse('body_not_raw', { message: FIX });
    };
    return toResponse(await receive.deliver({ method: raw.method, headers: raw.headers, read }));
  };
}

const FIX =
  'Let no middleware before this route read c.req.raw or call c.req.parseBody(); c.req.arrayBuffer() is fine.';
