import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { HandleRequest } from '../http/request.ts';
import { sendResponse } from './node-response.ts';
import { readTarget, toNodeRequest } from './node-request.ts';
import { createBatchedWrites } from './batched-writes.ts';

// An import of it would load all that it exports, WebSocket and `fetch` included: a third of the start.
const { createServer } = process.getBuiltinModule('node:http');

/** Answers a request of the control plane, in whatever way it likes. */
export type ControlListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Sets up a server. */
export interface RequestServerOptions {
  readonly handle: HandleRequest;
  /**
   * Takes every request to `/_sandbox` and below it.
   *
   * @default the service answers them, as any path that it does not know
   */
  readonly control?: ControlListener;
  /**
   * How long a request may take to arrive, head and body, in milliseconds.
   *
   * @default 30000
   */
  readonly requestTimeout?: number;
}

// By the request line as it was sent: what only leads there when it is resolved is for the service.
const CONTROL_TARGET = /^\/_sandbox(?:[/?]|$)/;

/** Creates the HTTP server of a service; it does not listen yet (decision 0011). */
export function createRequestServer({
  handle,
  control,
  requestTimeout: patience = 30_000,
}: RequestServerOptions): Server {
  const outbox = createBatchedWrites();
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void => {
    let hasContinued = !expectsContinue;
    const sendContinue = (): void => {
      if (!hasContinued) outgoing.writeContinue();
      hasContinued = true;
    };
    const { url = '' } = incoming;
    if (control !== undefined && CONTROL_TARGET.test(url)) {
      sendContinue();
      control(incoming, outgoing);
      return;
    }
    const target = readTarget(url);
    void handle(toNodeRequest(incoming, target, sendContinue)).then((exchange) =>
      outbox(() => sendResponse(outgoing, exchange, hasContinued && !incoming.complete)),
    );
  };
  const server = createServer(
    {
      joinDuplicateHeaders: true,
      optimizeEmptyRequests: true,
      headersTimeout: patience,
      requestTimeout: patience,
      connectionsCheckingInterval: Math.ceil(patience / 10),
      // An idle connection stays open for as long as its client likes, so that none is cut under the next request.
      keepAliveTimeout: 0,
    },
    (incoming, outgoing) => serve(incoming, outgoing, false),
  );
  // A caller that asks before it sends its body is told to go on only when somebody wants the body.
  server.on('checkContinue', (incoming, outgoing) => serve(incoming, outgoing, true));
  return server;
}
