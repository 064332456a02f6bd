import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clearInterval, clearTimeout, createDeferred, setInterval, setTimeout } from '@service/internal';

/** The time between two searches for idle connections while a server closes, in milliseconds. */
const SWEEP = 20;
/** Maximum time for the next request of an idle connection when a server closes, in milliseconds. */
const MAX_LINGER = 1000;

const { Server: NetServer } = process.getBuiltinModule('node:net');

/** The requests of a server, and whether it is closing. */
export interface Drain {
  /** Aborted when the server begins to close. */
  readonly draining: AbortController;
  /** The responses of each connection that may be incomplete: a listener per request would cost a fifth of its time. */
  readonly connections: Map<Socket, readonly ServerResponse[]>;
  /** The received bytes of the idle connections that the server has ended, at that time. */
  readonly ended: Map<Socket, number>;
  /** The number of requests that had no complete response in time. */
  cut: number;
}

/** Tracks the running requests of a server. */
export function trackRequests(server: Server): Drain {
  const drain: Drain = { draining: new AbortController(), connections: new Map(), ended: new Map(), cut: 0 };
  const { connections, draining, ended } = drain;
  const track = ({ socket }: IncomingMessage, outgoing: ServerResponse): void => {
    if (ended.has(socket)) {
      // The request and the end of the connection have crossed. The destroyed response is not processed.
      drain.cut += 1;
      outgoing.destroy();
      return;
    }
    connections.set(socket, [...(connections.get(socket) ?? []).filter(isRunning), outgoing]);
    if (draining.signal.aborted) announceEnd(outgoing);
  };
  server.on('connection', (socket) => {
    connections.set(socket, []);
    socket.once('close', () => void connections.delete(socket));
  });
  server.prependListener('request', track);
  server.prependListener('checkContinue', track);
  return drain;
}

function isRunning(outgoing: ServerResponse): boolean {
  return !outgoing.writableFinished && !outgoing.destroyed;
}

/** Makes a client send its next request on another connection. */
function announceEnd(outgoing: ServerResponse): void {
  if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
}

/** Stops listening, answers the running requests, and cuts those that last longer than `grace`. */
export async function closeServer(server: Server, drain: Drain, grace: number): Promise<void> {
  const { promise, resolve } = createDeferred();
  const { connections, draining } = drain;
  for (const outgoing of [...connections.values()].flat().filter(isRunning)) announceEnd(outgoing);
  draining.abort();
  // Accepts the connections that the system has established already: it would reset them.
  await new Promise((accepted) => void setImmediate(accepted));
  // Unlike the method of the HTTP server, this one keeps idle connections open.
  NetServer.prototype.close.call(server, () => resolve());
  const startSweep = (): ReturnType<typeof setInterval> => setInterval(() => endIdle(server, drain), SWEEP);
  let sweep: ReturnType<typeof setInterval> | undefined;
  // A client that was just answered can be about to send its next request.
  const linger = setTimeout(
    () => {
      sweep = startSweep();
    },
    Math.min(MAX_LINGER, grace / 10),
  );
  const end = setTimeout(() => {
    endIdle(server, drain);
    drain.cut += countIncomplete(drain);
    server.closeAllConnections();
  }, grace);
  await promise.finally(() => {
    // Ends the timer of the HTTP server.
    server.close();
    clearTimeout(linger);
    clearInterval(sweep);
    clearTimeout(end);
  });
}

/** Sends the end of each idle connection, and keeps reading from it until its client closes it too. */
function endIdle(server: Server, { connections, ended }: Drain): void {
  for (const socket of connections.keys()) {
    // Node only destroys idle connections, which loses a request that has arrived and was not read.
    socket.destroy = () => {
      if (!ended.has(socket)) ended.set(socket, socket.bytesRead);
      return socket.end();
    };
    // Node does not count a connection without any bytes as idle.
    if (socket.bytesRead === 0) socket.destroy();
  }
  server.closeIdleConnections();
  for (const socket of connections.keys()) Reflect.deleteProperty(socket, 'destroy');
}

/** Counts the requests on the open connections, including one whose head is incomplete. */
function countIncomplete({ connections, ended }: Drain): number {
  let count = 0;
  for (const [socket, responses] of connections)
    if (!socket.destroyed && ended.get(socket) !== socket.bytesRead)
      count += Math.max(1, responses.filter(isRunning).length);
  return count;
}
