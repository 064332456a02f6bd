import type { Receiver } from '../receiver.ts';
import { deliverIncoming, listHeaders } from './incoming.ts';
import type { IncomingLike } from './incoming.ts';

interface FastifyRequestLike {
  readonly raw: object;
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Readonly<Record<string, string>>): unknown;
  send(body: string): unknown;
}

interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parser: (request: never, payload: never, done: (error: null, body?: unknown) => void) => void,
  ): unknown;
  all(
    path: string,
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
}

/** Registers the route of a receiver. */
export type FastifyPlugin = (instance: object, options: { readonly path?: string }) => Promise<void>;

/**
 * Converts a receiver to a plugin of Fastify 5: `app.register(toFastify(receive), { path: '/webhooks' })`. Within it no
 * parser runs; the rest of the app keeps its own.
 */
export function toFastify(receive: Receiver): FastifyPlugin {
  const fix = 'Let no hook read request.raw, or keep its bytes in request.rawBody.';
  return async (app, { path = '/' }) => {
    // The types of Fastify are generic in too much to be described in part.
    const instance = app as FastifyLike;
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    instance.all(path, async ({ raw, rawBody }, reply) => {
      const incoming = raw as IncomingLike;
      if (rawBody !== undefined) Object.assign(incoming, { rawBody });
      const answer = await deliverIncoming(receive, incoming, fix);
      reply.code(answer.status);
      reply.headers(listHeaders(answer, incoming));
      return reply.send(answer.body);
    });
  };
}
