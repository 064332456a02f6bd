import type { Receiver } from '../receiver.ts';
import { handleIncoming } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** Handles one request of Express. */
export type ExpressHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/**
 * Converts a receiver to a handler of Express 4 or 5: `app.all('/webhooks', toExpress(receive))`, before any
 * `express.json()`. It takes the body of `express.raw()`, a `rawBody`, or reads the request itself.
 */
export function toExpress(receive: Receiver): ExpressHandler {
  const fix = "Register this route before app.use(express.json()), or use express.raw({ type: '*/*' }).";
  return (incoming, outgoing) => handleIncoming(receive, { incoming, outgoing, fix });
}
