import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setImmediate } from '@service/internal';
import type { HandleControl } from '../control/http/handler.ts';
import type { HandleRequest } from '../http/request.ts';
import { sendControlResponse, sendFailure, sendResponse } from './node-response.ts';
import { readTarget, toNodeRequest } from './node-request.ts';

// An import would load all exports, including WebSocket and `fetch`: a third of the start time.
const { createServer } = process.getBuiltinModule('node:http');

/** The handlers of requests. */
export interface RequestHandlers {
  readonly handle: HandleRequest;
  /**
   * Handles every request to `/_sandbox` and below it.
   *
   * @default responds like the service to an unknown path
   */
  readonly control?: HandleControl;
  /** Called for an unexpected error. The client receives a 500. */
  readonly onDefect: (error: unknown) => void;
}

/** The handlers and timeout of an HTTP server. */
export interface RequestServerOptions extends RequestHandlers {
  /**
   * Maximum time for a request to arrive, with head and body, in milliseconds.
   *
   * @default 30000
   */
  readonly requestTimeout?: number;
}

// Matches the raw request line: a path that only resolves to `/_sandbox` belongs to the service.
const CONTROL_TARGET = /^\/_sandbox(?:[/?]|$)/;

/** Returns whether a request is for the control API, or for the dashboard from the address bar of a browser. */
function isForControl({ method, url = '', headers }: IncomingMessage): boolean {
  return (
    CONTROL_TARGET.test(url) ||
    (url === '/' && method === 'GET' && (headers.accept ?? '').includes('text/html'))
  );
}

/** Handles a request of a server of `node:http`. `expectsContinue`: the client waits before it sends the body. */
export type RequestListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  expectsContinue?: boolean,
) => void;

/** Creates the request listener of a service. */
export function createRequestListener({ handle, control, onDefect }: RequestHandlers): RequestListener {
  // The responses to requests of one turn are written together: each separate write can wake the client process, and
  // interleaved writes take twice the time (decision 0011).
  const waiting: (() => void)[] = [];
  const writeLater = (write: () => void): void => {
    if (waiting.push(write) > 1) return;
    setImmediate(() => {
      for (const each of waiting.splice(0)) each();
    });
  };
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void => {
    let hasContinued = !expectsContinue;
    const sendContinue = (): void => {
      if (!hasContinued) outgoing.writeContinue();
      hasContinued = true;
    };
    const { url = '' } = incoming;
    const request = toNodeRequest(incoming, readTarget(url), sendContinue);
    const isBodyComing = (): boolean => hasContinued && !incoming.complete;
    if (control !== undefined && isForControl(incoming)) {
      const disconnected = new AbortController();
      outgoing.once('close', () => disconnected.abort());
      const responded = control({ ...request, signal: disconnected.signal });
      send(outgoing, responded, (response) => sendControlResponse(outgoing, response, isBodyComing()));
    } else send(outgoing, handle(request), (exchange) => sendResponse(outgoing, exchange, isBodyComing()));
  };
  const guard = (outgoing: ServerResponse, step: () => void): void => {
    try {
      step();
    } catch (error) {
      fail(outgoing, error);
    }
  };
  const fail = (outgoing: ServerResponse, error: unknown): void => {
    onDefect(error);
    sendFailure(outgoing);
  };
  const send = <T>(outgoing: ServerResponse, responded: Promise<T>, write: (response: T) => void): void =>
    void responded.then(
      (response) => writeLater(() => guard(outgoing, () => write(response))),
      (error) => fail(outgoing, error),
    );
  return (incoming, outgoing, expectsContinue = false) => {
    if (!outgoing.destroyed) guard(outgoing, () => answer(incoming, outgoing, expectsContinue));
  };
}

/** Creates the HTTP server of a service. It does not listen yet (decision 0011). */
export function createRequestServer({ requestTimeout = 30_000, ...handlers }: RequestServerOptions): Server {
  const listener = createRequestListener(handlers);
  const server = createServer(
    {
      joinDuplicateHeaders: true,
      optimizeEmptyRequests: true,
      headersTimeout: requestTimeout,
      requestTimeout,
      connectionsCheckingInterval: Math.ceil(requestTimeout / 10),
      // Idle connections stay open, so that none closes during the next request.
      keepAliveTimeout: 0,
    },
    (incoming, outgoing) => listener(incoming, outgoing),
  );
  // A client with `Expect: 100-continue` sends its body only after the service asks for it.
  server.on('checkContinue', (incoming, outgoing) => listener(incoming, outgoing, true));
  return server;
}
