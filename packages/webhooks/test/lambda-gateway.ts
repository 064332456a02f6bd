import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { LambdaEventLike, LambdaResult } from '@service/webhooks/lambda';

/** A format in which AWS passes a request to a function. */
export type LambdaForm = 'v1' | 'v2' | 'alb' | 'alb with lists';

interface GatewayOptions {
  readonly form: LambdaForm;
  /** Whether the body is parsed, as by a middleware. */
  readonly isParsed?: boolean;
}

/**
 * A fake gateway: converts requests of node:http to events and results to responses, as documented by AWS.
 */
export function fromLambda(
  handler: (event: LambdaEventLike) => Promise<LambdaResult>,
  { form, isParsed = false }: GatewayOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const bytes = await buffer(request);
    const event = { ...toEvent(request, form), body: bytes.toString('base64'), isBase64Encoded: true };
    const parsed = isParsed ? { body: JSON.parse(bytes.toString()) as unknown, isBase64Encoded: false } : {};
    const result = await handler({ ...event, ...parsed });
    const headers = form === 'alb with lists' ? result.multiValueHeaders : result.headers;
    response.writeHead(result.statusCode, headers).end(result.body);
  };
}

function toEvent(request: IncomingMessage, form: LambdaForm): LambdaEventLike {
  const { method = '', headersDistinct } = request;
  const multiValueHeaders = headersDistinct;
  const last = Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values]) => [name, values?.at(-1)]),
  );
  const joined = Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values]) => [name, values?.join(',')]),
  );
  const events: Record<LambdaForm, LambdaEventLike> = {
    v1: { httpMethod: method, headers: last, multiValueHeaders },
    v2: { requestContext: { http: { method } }, headers: joined },
    alb: { httpMethod: method, headers: joined },
    'alb with lists': { httpMethod: method, multiValueHeaders },
  };
  return events[form];
}
