import type { Receiver } from '../receiver.ts';
import { deliverIncoming, writeAnswer } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** Handles one request of Express. */
export type ExpressHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/**
 * Converts a receiver to a handler of Express 4 or 5: `app.all('/webhooks', toExpress(receive))`, before any
 * `express.json()`. It takes the body of `express.raw()`, a `rawBody`, or reads the request itself.
 */
export function toExpress(receive: Receiver): ExpressHandler {
  const fix =
    "Register this route before app.use(express.json()), or give it express.raw({ type: '*/*' }) as its parser.";
  return async (request, response) =>
    writeAnswer(response, await deliverIncoming(receive, request, fix), request);
}
