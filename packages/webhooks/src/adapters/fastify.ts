import type { Receiver } from '../receiver.ts';
import { createHeaders, deliverIncoming } from './incoming.ts';
import type { IncomingLike } from './incoming.ts';

interface FastifyRequestLike {
  readonly raw: object;
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

/** A Fastify plugin that registers the route of a receiver. */
export type FastifyPlugin = (
  instance: object,
  options: {
    /**
     * The path of the route.
     *
     * @default '/'
     */
    readonly path?: string;
  },
) => Promise<void>;

/**
 * Converts a receiver to a plugin of Fastify 5. It removes the content type parsers within the plugin only.
 *
 * @example await app.register(toFastify(receive), { path: '/webhooks' });
 */
export function toFastify(receive: Receiver): FastifyPlugin {
  const fix = 'Remove the hook that reads request.raw, or set request.rawBody.';
  return async (app, { path = '/' }) => {
    // The generic types of Fastify cannot be described in part.
    const instance = app as FastifyLike;
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null));
    instance.all(path, async ({ raw, rawBody }, reply) => {
      const incoming = raw as IncomingLike;
      if (rawBody !== undefined) Object.assign(incoming, { rawBody });
      const response = await deliverIncoming(receive, incoming, fix);
      reply.code(response.status);
      reply.headers(createHeaders(response, incoming));
      return reply.send(response.body);
    });
  };
}
