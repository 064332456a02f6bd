import type { Receiver } from '../receiver.ts';
import { handleIncoming } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** An Express request handler. */
export type ExpressHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/**
 * Converts a receiver to a handler of Express 4 or 5. Register it before `express.json()`. It uses the body
 * of `express.raw()` or a `rawBody`, and otherwise reads the request.
 *
 * @example app.all('/webhooks', toExpress(receive));
 */
export function toExpress(receive: Receiver): ExpressHandler {
  const fix = "Register this route before app.use(express.json()), or use express.raw({ type: '*/*' }).";
  return (incoming, outgoing) => handleIncoming(receive, { incoming, outgoing, fix });
}
