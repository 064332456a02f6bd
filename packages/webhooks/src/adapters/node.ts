import type { Receiver } from '../receiver.ts';
import { handleIncoming } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** A request listener of node:http. */
export type NodeHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/**
 * Converts a receiver to a listener of node:http.
 *
 * @example createServer(toNode(receive));
 */
export function toNode(receive: Receiver): NodeHandler {
  const fix = 'Call this listener before any code reads the request, or set request.rawBody to its bytes.';
  return (incoming, outgoing) => handleIncoming(receive, { incoming, outgoing, fix });
}
