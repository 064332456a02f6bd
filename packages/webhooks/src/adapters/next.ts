import { toResponse } from '../answer.ts';
import type { Receiver } from '../receiver.ts';
import { deliverIncoming, writeAnswer } from './incoming.ts';
import type { IncomingLike, OutgoingLike } from './incoming.ts';
import { refuseParsed } from './refusal.ts';

export type { IncomingLike, OutgoingLike };

/** Converts a receiver to a route handler of Next's app router: `export const POST = toAppRouter(receive)`. */
export function toAppRouter(receive: Receiver): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!request.bodyUsed) return receive(request);
    const { method, headers } = request;
    return toResponse(await receive.deliver({ method, headers, read: refuse }));
  };
}

function refuse(): never {
  throw refuseParsed('Do not call request.json() before this handler, or call it on request.clone().');
}

/**
 * Converts a receiver to an API route of Next's pages router. The file must also hold
 * `export const config = { api: { bodyParser: false } }`, written out, since Next reads it without running the file.
 */
export function toPagesRouter(
  receive: Receiver,
): (request: IncomingLike, response: OutgoingLike) => Promise<void> {
  const fix = 'Add to this file: export const config = { api: { bodyParser: false } }';
  return async (request, response) =>
    writeAnswer(response, await deliverIncoming(receive, request, fix), request);
}
