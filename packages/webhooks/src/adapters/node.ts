import type { Receiver } from '../receiver.ts';
import { handleIncoming } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';

export type { IncomingLike, OutgoingLike };

/** Handles one request of node:http. */
export type NodeHandler = (request: IncomingLike, response: OutgoingLike) => Promise<void>;

/** Converts a receiver to a listener of node:http: `createServer(toNode(receive))`. */
export function toNode(receive: Receiver): NodeHandler {
  const fix = 'Call this listener before anything reads the request, or keep the bytes in request.rawBody.';
  return (incoming, outgoing) => handleIncoming(receive, { incoming, outgoing, fix });
}
