import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { clearTimeout, createDeferred, setTimeout } from '@service/internal';
import type { ControlResponse } from '../control/http/handler.ts';
import { type MockResponse, CONNECTION_LOST, type Damage, FAILURE, type Handled } from '../http/request.ts';

/** Maximum time between an early response and the end of the request body, in milliseconds. */
const LINGER = 500;

/** Bytes that no HTTP client accepts as a response. */
const garbage = Buffer.from('\u0000\u00ff\u0016 this is no HTTP \u0007\r\n\r\n', 'latin1');

/**
 * Sends the response of a request and calls `flushed` afterward. `isBodyComing`: the request body is still
 * arriving.
 */
export function sendResponse(
  outgoing: ServerResponse,
  { response: mockResponse, flushed }: Handled,
  isBodyComing: boolean,
): void {
  if (outgoing.destroyed) return flushed();
  outgoing.on('close', flushed);
  if (mockResponse === CONNECTION_LOST) inTurn(outgoing, (socket) => socket.resetAndDestroy());
  else if (mockResponse.damage !== undefined)
    sendDamaged(outgoing, mockResponse, { damage: mockResponse.damage, flushed });
  else if (isBodyComing) sendEarly(outgoing, mockResponse);
  else writeHead(outgoing, mockResponse).end(mockResponse.body);
}

/** Sends the response to a request that failed. Closes the connection if another response has begun. */
export function sendFailure(outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  writeHead(outgoing, FAILURE).end(FAILURE.body);
}

/**
 * Sends a response of the control API. Without one, closes the connection. `isBodyComing`: the request body is still
 * arriving.
 */
export function sendControlResponse(
  outgoing: ServerResponse,
  response: ControlResponse | undefined,
  isBodyComing: boolean,
): void {
  if (outgoing.destroyed) return;
  if (response === undefined) return void outgoing.destroy();
  const { status, headers, body } = response;
  if (typeof body === 'object' && body !== null) void sendParts(outgoing.writeHead(status, headers), body);
  else if (isBodyComing) sendEarly(outgoing, { status, headers, body });
  else writeHead(outgoing, { status, headers, body }).end(body);
}

/** Sends the parts of a body as fast as the client reads them. */
async function sendParts(outgoing: ServerResponse, parts: readonly string[]): Promise<void> {
  ignoreErrors(outgoing);
  for (const part of parts) {
    if (outgoing.destroyed) return;
    if (outgoing.write(part)) continue;
    const { promise, resolve } = createDeferred();
    outgoing.once('drain', resolve).once('close', resolve);
    await promise;
    outgoing.off('close', resolve);
  }
  outgoing.end();
}

function writeHead(outgoing: ServerResponse, { status, headers, body }: MockResponse): ServerResponse {
  const hasNoLength = body === null && (status === 204 || outgoing.req.method === 'HEAD');
  if (isClosing(outgoing)) outgoing.setHeader('Connection', 'close');
  if (hasNoLength) return outgoing.writeHead(status, headers);
  return outgoing.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body ?? '') });
}

/** Returns whether the server of a response no longer listens, so that the client must connect again. */
function isClosing({ socket }: ServerResponse): boolean {
  return (socket as { readonly server?: Server } | null)?.server?.listening === false;
}

/**
 * Sends a response before the end of the request body and delays the end of the connection. A connection that
 * closes with unread bytes is reset, and the client could lose the response.
 */
function sendEarly(outgoing: ServerResponse, mockResponse: MockResponse): void {
  const { req: incoming } = outgoing;
  ignoreErrors(outgoing);
  const timer = setTimeout(() => outgoing.destroy(), LINGER);
  timer.unref();
  outgoing.once('close', () => clearTimeout(timer));
  writeHead(outgoing, mockResponse).flushHeaders();
  if (mockResponse.body !== null) outgoing.write(mockResponse.body);
  incoming.once('end', () => outgoing.end());
  incoming.resume();
}

interface Damaged {
  readonly damage: Damage;
  readonly flushed: () => void;
}

/** Sends a damaged response. Without a body to truncate, nothing is sent. */
function sendDamaged(
  outgoing: ServerResponse,
  mockResponse: MockResponse,
  { damage, flushed }: Damaged,
): void {
  const destroy = (): void => void outgoing.destroy();
  if (damage === 'garbage') inTurn(outgoing, (socket) => socket.write(garbage, destroy));
  else if (damage === 'truncated') sendHalf(outgoing, mockResponse, destroy);
  // The connection stays open without the rest of the body.
  else sendHalf(outgoing, mockResponse, flushed);
}

/** Sends headers with the full length and the first half of the body. */
function sendHalf(outgoing: ServerResponse, mockResponse: MockResponse, then: () => void): void {
  if (mockResponse.body === null) return inTurn(outgoing, then);
  ignoreErrors(outgoing);
  const bytes = Buffer.from(mockResponse.body);
  writeHead(outgoing, mockResponse).write(bytes.subarray(0, bytes.byteLength >> 1), then);
}

/** Keeps the process running after a write to a connection that the client has closed. */
function ignoreErrors(outgoing: ServerResponse): void {
  outgoing.on('error', () => {});
}

/** Runs a function on the connection after the earlier responses on it were sent. */
function inTurn(outgoing: ServerResponse, act: (socket: Socket) => void): void {
  if (outgoing.socket === null) outgoing.once('socket', act);
  else act(outgoing.socket);
}
