import { toResponse } from '../answer.ts';
import type { Delivery, Receiver } from '../receiver.ts';
import { handleIncoming } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** Converts a receiver to a route handler of Next's app router: `export const POST = toAppRouter(receive)`. */
export function toAppRouter(receive: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!request.bodyUsed) return receive(request);
    const { method, headers } = request;
    return toResponse(await receive.deliver({ method, headers, read: refuseUsed }));
  };
}

/**
 * Converts a receiver to an API route of Next's pages router. The file must also hold
 * `export const config = { api: { bodyParser: false } }`, written out, since Next reads it without running the file.
 */
export function toPagesRouter(
  receive: Receiver,
): (request: IncomingLike, response: OutgoingLike) => Promise<void> {
  const fix = 'Add: export const config = { api: { bodyParser: false } }';
  return (incoming, outgoing) => handleIncoming(receive, { incoming, outgoing, fix });
}

const refuseUsed: Delivery['read'] = (_maxBytes, refuse) => {
  throw refuse('body_not_raw', { message: 'Read request.clone() before this handler.' });
};
