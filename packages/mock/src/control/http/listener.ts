import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Sandbox } from '../sandbox.ts';
import { type ControlOptions, createControlApp } from './app.ts';
import {
  respondWithDefect,
  ControlError,
  type ControlErrorResponse,
  toErrorResponse,
} from './control-error.ts';

/** Handles requests under `/_sandbox`, as a listener of a `node:http` server. */
export type ControlListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Creates the request listener of the control API. */
export function createControlListener(sandbox: Sandbox, options: ControlOptions): ControlListener {
  const app = createControlApp(sandbox, options);
  return getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      respond(toErrorResponse(refineError(error)) ?? respondWithDefect(options, error)),
  });
}

/** Distinguishes an invalid request URL from a defect. */
function refineError(error: unknown): unknown {
  return error instanceof RequestError
    ? new ControlError('invalid_argument', 'The path and the Host of this request are not a valid URL.')
    : error;
}

function respond({ status, body }: ControlErrorResponse): Response {
  return Response.json(body, { status });
}
