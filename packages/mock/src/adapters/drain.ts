import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  clearInterval,
  clearTimeout,
  createDeferred,
  monotonicNow,
  setImmediate,
  setInterval,
  setTimeout,
} from '@service/internal';

/** The time between two searches for idle connections while a server closes, in milliseconds. */
const SWEEP = 20;
/** The time without a new connection after which a server stops listening, in milliseconds. */
const QUIET = 100;
/** Maximum time for the next request of an idle connection when a server closes, in milliseconds. */
const MAX_LINGER = 1000;

const { Server: NetServer } = process.getBuiltinModule('node:net');

/** The requests of a server, and the progress of its end. */
export interface Drain {
  /** Aborted when the server begins to close. */
  readonly draining: AbortController;
  /** The responses of each connection that may be incomplete: a listener per request would cost a fifth of its time. */
  readonly connections: Map<Socket, readonly ServerResponse[]>;
  /** The time of the last connection, on the monotonic clock. */
  acceptedAt: number;
  /** Whether responses wait, so that no client connects again before the end of the listener. */
  isHeld: boolean;
  /** Whether responses announce the end of their connection. */
  isAnnounced: boolean;
  /** The idle connections that the server has ended. */
  readonly ended: WeakSet<Socket>;
  /** The number of requests that had no complete response in time. */
  cut: number;
}

/** Creates the state of a server that is not closing. */
export function createDrain(): Drain {
  return {
    draining: new AbortController(),
    connections: new Map(),
    acceptedAt: Number.NEGATIVE_INFINITY,
    isHeld: false,
    isAnnounced: false,
    ended: new WeakSet(),
    cut: 0,
  };
}

/** Tracks the running requests of a server. */
export function trackRequests(server: Server, drain: Drain): void {
  const { connections, ended } = drain;
  const track = ({ socket }: IncomingMessage, outgoing: ServerResponse): void => {
    const running = (connections.get(socket) ?? []).filter(isRunning);
    const last = running.at(-1);
    if (ended.has(socket) || (last?.headersSent && last.getHeader('Connection') === 'close')) {
      // The request and the end of the connection have crossed. The destroyed response is not processed.
      drain.cut += 1;
      outgoing.destroy();
      return;
    }
    connections.set(socket, [...running, outgoing]);
    if (!drain.isAnnounced) return;
    // A connection ends after the first response that says so.
    if (last?.headersSent === false) last.removeHeader('Connection');
    announceEnd(outgoing);
  };
  server.on('connection', (socket) => {
    drain.acceptedAt = monotonicNow();
    connections.set(socket, []);
    socket.once('close', () => void connections.delete(socket));
  });
  server.prependListener('request', track);
  server.prependListener('checkContinue', track);
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
  const startedAt = monotonicNow();
  const linger = Math.min(MAX_LINGER, grace / 10);
  draining.abort();
  await acceptPending(drain, startedAt + linger);
  // Unlike the method of the HTTP server, this one keeps idle connections open.
  NetServer.prototype.close.call(server, () => resolve());
  drain.isHeld = false;
  drain.isAnnounced = true;
  for (const responses of connections.values()) {
    const last = responses.findLast(isRunning);
    if (last !== undefined) announceEnd(last);
  }
  const endQuiet = createSweep(server, drain, linger);
  // After the next poll of the event loop, which reads the requests that a busy process has not read.
  const sweep = setInterval(() => void setImmediate(endQuiet), SWEEP);
  const cutRunning = (): void => {
    drain.cut += countIncomplete(server, drain);
    server.closeAllConnections();
  };
  const rest = Math.max(0, startedAt + grace - monotonicNow());
  const end = setTimeout(() => void setImmediate(cutRunning), rest);
  await promise.finally(() => {
    // Ends the timer of the HTTP server.
    server.close();
    clearInterval(sweep);
    clearTimeout(end);
  });
}

/**
 * Accepts the connections that the system has established already: the end of the listener would reset them. Waits
 * until no client connects. Responses wait meanwhile, because a client can connect again after each of them.
 */
async function acceptPending(drain: Drain, deadline: number): Promise<void> {
  drain.isHeld = true;
  // The first turn can have no poll.
  await turn();
  let polledAt: number;
  do {
    // Read before the poll of this turn: time in which the process did not run is not quiet.
    polledAt = monotonicNow();
    // Node accepts one connection per turn.
    await turn();
    const isNew = drain.acceptedAt >= polledAt;
    if (!isNew && (drain.connections.size === 0 || polledAt - drain.acceptedAt >= QUIET)) return;
  } while (polledAt <= deadline);
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/**
 * Creates a function that ends each connection that was idle in all its calls of `linger` milliseconds: a client that
 * was just answered can be about to send its next request. A busy machine delays calls and clients alike.
 */
function createSweep(server: Server, drain: Drain, linger: number): () => void {
  let quiet = new Map<Socket, { readonly bytes: number; readonly sweeps: number }>();
  return () => {
    const before = quiet;
    quiet = new Map();
    for (const socket of listIdle(server, drain)) {
      const { bytesRead: bytes } = socket;
      const known = before.get(socket);
      const sweeps = known?.bytes === bytes ? known.sweeps + 1 : 0;
      quiet.set(socket, { bytes, sweeps });
      if (sweeps * SWEEP < linger || drain.ended.has(socket)) continue;
      drain.ended.add(socket);
      // A destroyed connection would lose a request that has arrived since: this one reads it, to count it.
      socket.end();
    }
  };
}

/** Returns the connections on which the server has no request, not even a part of one. */
function listIdle(server: Server, { connections }: Drain): Socket[] {
  // Node does not count a connection without any bytes as idle.
  const idle = [...connections.keys()].filter(({ bytesRead }) => bytesRead === 0);
  // Only Node's parser knows whether a part of a head has arrived, and only this method shows it.
  for (const socket of connections.keys()) socket.destroy = () => (idle.push(socket), socket);
  server.closeIdleConnections();
  for (const socket of connections.keys()) Reflect.deleteProperty(socket, 'destroy');
  return idle.filter((socket) => !connections.get(socket)?.some(isRunning));
}

/** Counts the requests on the open connections, including one whose head is incomplete. */
function countIncomplete(server: Server, drain: Drain): number {
  const idle = new Set(listIdle(server, drain));
  let count = 0;
  for (const [socket, responses] of drain.connections)
    if (!socket.destroyed && !idle.has(socket)) count += Math.max(1, responses.filter(isRunning).length);
  return count;
}
