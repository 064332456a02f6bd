// Requests the balance at a fixed rate in a child process, and sends the waits to its parent process on request.
import { type Connection, openConnection } from '../http/connection.ts';
import type { Address } from '../http/child.ts';

/** The time between two requests, in milliseconds. */
const INTERVAL = 5;

const { port, headers } = JSON.parse(process.argv[2] ?? '') as Address;
const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
const request = `GET /api/v1/balance HTTP/1.1\r\nHost: localhost:${port}\r\n${lines.join('')}\r\n`;

const idle: Connection[] = [];
const running = new Set<Promise<void>>();
let waits: number[] = [];

process.on('message', () => void sendWaits());
process.on('disconnect', () => process.exit());

// A request does not wait for the previous one, so that a block of 1 s counts as 200 requests.
for (let due = performance.now(); ; due += INTERVAL) {
  const delay = due - performance.now();
  if (delay > 0) await sleep(delay);
  const sent = measureWait(delay > 0 ? performance.now() : due);
  running.add(sent);
  void sent.finally(() => running.delete(sent));
}

/** Measures the wait of a request that was due at a time, on a free connection. */
async function measureWait(start: number): Promise<void> {
  const connection = idle.pop() ?? (await openConnection(port));
  await connection.exchange(request);
  waits.push(performance.now() - start);
  idle.push(connection);
}

async function sendWaits(): Promise<void> {
  await Promise.all(running);
  process.send?.(waits);
  waits = [];
}

function sleep(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds);
  return promise;
}
