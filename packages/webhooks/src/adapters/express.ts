import type { Receiver } from '../receiver.ts';
import { createListener } from './incoming.ts';
import type { IncomingHandler, IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingHandler as ExpressHandler, IncomingLike, OutgoingLike };

/**
 * Converts a receiver to a handler of Express 4 or 5. Register it before `express.json()`. It uses the body
 * of `express.raw()` or a `rawBody`, and otherwise reads the request.
 *
 * @example app.all('/webhooks', toExpress(receive));
 */
export function toExpress(receive: Receiver): IncomingHandler {
  const fix = "Register this route before app.use(express.json()), or use express.raw({ type: '*/*' }).";
  return createListener(receive, fix);
}
