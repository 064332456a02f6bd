import type { Receiver } from '../receiver.ts';
import { createListener } from './incoming.ts';
import type { IncomingHandler, IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingHandler as NodeHandler, IncomingLike, OutgoingLike };

/**
 * Converts a receiver to a listener of node:http.
 *
 * @example createServer(toNode(receive));
 */
export function toNode(receive: Receiver): IncomingHandler {
  const fix = 'Call this listener before any code reads the request, or set request.rawBody to its bytes.';
  return createListener(receive, fix);
}
