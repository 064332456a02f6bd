import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type MockResponse, CONNECTION_LOST, type Damage, type Handled } from '../http/request.ts';

// Kept from load time, so that fake timers installed later cannot hold a connection open.
const { setTimeout, clearTimeout } = globalThis;

/** How long an answer waits for the end of a body that nobody reads, in milliseconds. */
const LINGER = 500;

/** Stands where an answer should be: no HTTP client takes it for one. */
const GARBAGE = Buffer.from('\u0000\u00ff\u0016 this is no HTTP \u0007\r\n\r\n', 'latin1');

/** Sends what became of a call, and tells once it has left or never will; `isBodyComing` while the call is still arriving. */
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

function writeHead(outgoing: ServerResponse, { status, headers, body }: MockResponse): ServerResponse {
  const hasNoLength = body === null && (status === 204 || outgoing.req.method === 'HEAD');
  if (hasNoLength) return outgoing.writeHead(status, headers);
  return outgoing.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body ?? '') });
}

/**
 * Sends an answer to a call whose body is still coming, and ends it after that body or a while later: a connection that is
 * closed on bytes which nobody has read is reset, and the caller might never see the answer.
 */
function sendEarly(outgoing: ServerResponse, mockResponse: MockResponse): void {
  const { req: incoming } = outgoing;
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

/** Damages an answer on its way; where there is no body to cut, nothing of the answer is sent. */
function sendDamaged(
  outgoing: ServerResponse,
  mockResponse: MockResponse,
  { damage, flushed }: Damaged,
): void {
  const destroy = (): void => void outgoing.destroy();
  if (damage === 'garbage') inTurn(outgoing, (socket) => socket.write(GARBAGE, destroy));
  else if (damage === 'truncated') sendHalf(outgoing, mockResponse, destroy);
  // The connection stays open, and the rest never leaves.
  else sendHalf(outgoing, mockResponse, flushed);
}

/** Announces a whole answer and sends the first half of its bytes. */
function sendHalf(outgoing: ServerResponse, mockResponse: MockResponse, then: () => void): void {
  if (mockResponse.body === null) return inTurn(outgoing, then);
  const bytes = Buffer.from(mockResponse.body);
  writeHead(outgoing, mockResponse).write(bytes.subarray(0, bytes.byteLength >> 1), then);
}

/** Does something with the connection once the answers to earlier calls on it have left; never when it closes before. */
function inTurn(outgoing: ServerResponse, act: (socket: Socket) => void): void {
  if (outgoing.socket === null) outgoing.once('socket', act);
  else act(outgoing.socket);
}
