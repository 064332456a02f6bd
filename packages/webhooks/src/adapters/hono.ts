import { toResponse } from '../http.ts';
import type { WebhookRequest } from '../http.ts';
import type { Receiver } from '../receiver.ts';
import type { RawBody } from '../signature.ts';

/** The used members of a Hono context. */
export interface HonoContextLike {
  /** The request of Hono. */
  readonly req: {
    /** The request of the runtime, whose body is read once. */
    readonly raw: Request;
    /** Bodies that a middleware has read. */
    readonly bodyCache?: object;
  };
}

/** A Hono request handler. */
export type HonoHandler = (context: HonoContextLike) => Promise<Response>;

/**
 * Converts a receiver to a handler of Hono. Middleware may read the body with `c.req.arrayBuffer()` or
 * `c.req.text()`, which cache it, but not with `c.req.parseBody()`.
 *
 * @example app.all('/webhooks', toHono(receive));
 */
export function toHono(receive: Receiver): HonoHandler {
  return async ({ req: { raw, bodyCache = {} } }) => {
    if (!raw.bodyUsed) return receive(raw);
    const { arrayBuffer, text } = bodyCache as { arrayBuffer?: Promise<RawBody>; text?: Promise<RawBody> };
    const read: WebhookRequest['read'] = (_maxBytes, createError) => {
      const cached = arrayBuffer ?? text;
      if (cached) return cached;
      throw createError('body_not_raw', { message: FIX });
    };
    return toResponse(await receive.deliver({ method: raw.method, headers: raw.headers, read }));
  };
}

const FIX = 'In middleware, replace c.req.raw and c.req.parseBody() by c.req.arrayBuffer().';
