import { STATUS_CODES } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Operation, operations } from './controllers.ts';
import { ApiException } from './exceptions.ts';
import type { ApiKeyGuard, ThrottlerGuard } from './guards.ts';
import type { Mode } from './payment.ts';
import type { RandomStream } from './random.ts';
import { BASE_PATH, BODY_LIMIT } from './settings.ts';
import { formatTimestamp } from './timeline.ts';

export interface ApplicationOptions {
  readonly apiKeys: ApiKeyGuard;
  readonly throttler: ThrottlerGuard;
  /** Source of the request ids. */
  readonly random: RandomStream;
}

/** Builds the HTTP server: guards, then the operation, then the envelope. */
export function createApplication({ apiKeys, throttler, random }: ApplicationOptions): FastifyInstance {
  const application = Fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    genReqId: () => random.uuid(),
  });
  application.removeContentTypeParser('text/plain');
  application.addHook('onRequest', async (request, reply) => {
    void reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' });
  });
  application.setNotFoundHandler((request, reply) => sendHttpError(reply, 404, describeRoute(request)));
  application.setErrorHandler((error: Error & { readonly statusCode?: number }, _request, reply) => {
    const { statusCode = 500, message } = error;
    return sendHttpError(reply, statusCode, statusCode < 500 ? message : 'Internal server error');
  });
  for (const operation of operations)
    application.route({
      method: operation.method,
      url: BASE_PATH + operation.path,
      handler: (request, reply) => run(operation, request, reply),
    });
  return application;

  function run(operation: Operation, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    let mode: Mode | undefined;
    try {
      const environment = apiKeys.authenticate(request.headers);
      mode = environment.mode;
      reply.headers(throttler.count(environment));
      const { headers, query, body } = request;
      const params = request.params as Record<string, string>;
      const result = operation.run({ environment, headers, params, query, body });
      reply.headers(result.headers ?? {});
      return reply.code(operation.statusCode).send({ success: true, mode, data: result.data });
    } catch (error) {
      if (error instanceof ApiException) return sendException(request, reply, error, mode);
      throw error;
    }
  }
}

function describeRoute({ method, url }: FastifyRequest): string {
  return `Cannot ${method} ${url}`;
}

/** Answers requests that reach no operation: unknown routes, bodies that cannot be read, defects. */
function sendHttpError(reply: FastifyReply, statusCode: number, message: string): FastifyReply {
  return reply.code(statusCode).send({ message, error: STATUS_CODES[statusCode], statusCode });
}

function sendException(
  request: FastifyRequest,
  reply: FastifyReply,
  exception: ApiException,
  mode: Mode | undefined,
): FastifyReply {
  const { statusCode, type, message, details, headers } = exception;
  return reply
    .code(statusCode)
    .headers(headers)
    .send({
      success: false,
      ...(mode !== undefined && { mode }),
      statusCode,
      error: { type, message, ...(details && { details }) },
      timestamp: formatTimestamp(Date.now()),
      path: request.url,
    });
}
