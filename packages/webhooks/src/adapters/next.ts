import { toResponse } from '../http.ts';
import type { WebhookRequest } from '../http.ts';
import type { Receiver } from '../receiver.ts';
import { createListener } from './incoming.ts';
import type { IncomingHandler, IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingHandler as PagesHandler, IncomingLike, OutgoingLike };

/**
 * Converts a receiver to a route handler of the app router of Next.
 *
 * @example export const POST = toAppRouter(receive);
 */
export function toAppRouter(receive: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!request.bodyUsed) return receive(request);
    const { method, headers } = request;
    return toResponse(await receive.deliver({ method, headers, read: rejectUsedBody }));
  };
}

/**
 * Converts a receiver to an API route of the pages router of Next. The file must also export `config` as in
 * the example, as a literal: Next reads it without running the file.
 *
 * @example
 * export const config = { api: { bodyParser: false } };
 * export default toPagesRouter(receive);
 */
export function toPagesRouter(receive: Receiver): IncomingHandler {
  return createListener(receive, 'Add: export const config = { api: { bodyParser: false } }');
}

const rejectUsedBody: WebhookRequest['read'] = (_maxBytes, createError) => {
  throw createError('body_not_raw', { message: 'Read request.clone() instead of request.' });
};
