import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A fault of a request. A number is the HTTP status of an error before the request is handled. */
export type FaultKind =
  'drop_before_commit' | 'drop_after_commit' | 'gateway_504' | 'cut_body' | 'hang' | number;

export interface Faults {
  /** Injects a fault into the next `times` requests of an operation, for example `POST /api/v1/payments`. */
  readonly inject: (operation: string, kind: FaultKind, times?: number) => void;
  readonly clear: () => void;
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  404: 'not_found',
  422: 'validation_error',
};

/** Adds fault injection to a Fastify app. */
export function addFaults(app: FastifyInstance): Faults {
  const injected: { operation: string; kind: FaultKind; left: number }[] = [];
  const active = new WeakMap<FastifyRequest, FaultKind>();

  app.addHook('preHandler', (request, reply, done) => {
    const operation = `${request.method} ${request.routeOptions.url}`;
    const fault = injected.find((candidate) => candidate.operation === operation && candidate.left > 0);
    if (!fault) return done();
    fault.left -= 1;
    if (fault.kind === 'drop_before_commit') return void request.raw.socket.destroy();
    if (typeof fault.kind === 'number') {
      const error = { type: errorTypes[fault.kind] ?? 'error', message: 'Rejected' };
      return void reply.code(fault.kind).send({ success: false, mode: 'test', error });
    }
    active.set(request, fault.kind);
    done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const kind = active.get(request);
    if (kind === undefined) done(null, payload);
    else if (kind === 'drop_after_commit') request.raw.socket.destroy();
    else if (kind === 'gateway_504') {
      reply.code(504).header('content-type', 'text/html').removeHeader('content-length');
      done(null, '<html><body><h1>504 Gateway Time-out</h1></body></html>');
    } else if (kind === 'cut_body') {
      const text = String(payload);
      reply.raw.writeHead(reply.statusCode, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      reply.raw.write(text.slice(0, text.length / 2), () => request.raw.socket.destroy());
    }
  });

  return {
    inject: (operation, kind, times = 1) => void injected.push({ operation, kind, left: times }),
    clear: () => void injected.splice(0),
  };
}
