// A process that is suspended (SIGSTOP, a laptop lid, a frozen container) for longer than its timeout, over a real socket.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { payment } from './service.ts';
import { answerWith, listen, type SocketServer } from './socket-server.ts';

const TIMEOUT = 1_000;
const program = fileURLToPath(new URL('suspended-client.ts', import.meta.url));
const body = JSON.stringify({ success: true, mode: 'test', data: payment });

type Client = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly readLine: () => Promise<string>;
};

function startClient({ baseUrl }: SocketServer, place = ''): Client {
  const child = spawn(process.execPath, [program, baseUrl, String(TIMEOUT), place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, readLine: async () => String((await lines.next()).value) };
}

/** Suspends a process for twice its timeout; `work` happens meanwhile. */
async function suspend({ child }: Client, work: () => unknown): Promise<void> {
  child.kill('SIGSTOP');
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
  await expect.poll(state).toBe('T');
  await work();
  const end = performance.now() + 2 * TIMEOUT;
  await expect.poll(() => performance.now()).toBeGreaterThan(end);
  child.kill('SIGCONT');
}

const packed = gzipSync(body);
const zipped = Buffer.concat([
  Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\nConnection: close\r\n\r\n`,
  ),
  packed,
]);
const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

describe.runIf(process.platform === 'linux')('a process that was suspended beyond its timeout', () => {
  test.each([
    ['plain', answerWith('200 OK', body)],
    ['chunked', chunked],
    ['compressed', zipped],
  ])('returns the payment of a %s response that arrived meanwhile', async (_, response) => {
    const sockets: Socket[] = [];
    await using server = await listen((socket) => void sockets.push(socket));
    const client = startClient(server);
    await server.reached(1);
    await suspend(client, () => new Promise((resolve) => sockets[0]?.write(response, resolve)));
    expect(JSON.parse(await client.readLine())).toMatchObject({ id: payment.id });
  });

  test('reports an unknown outcome when no response arrived', async () => {
    await using server = await listen(() => {});
    const client = startClient(server);
    await server.reached(1);
    await suspend(client, () => {});
    expect(JSON.parse(await client.readLine())).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      outcome: 'unknown',
      attempts: 1,
    });
  });

  test('sends nothing when it was suspended before the request', async () => {
    await using server = await listen((socket) => socket.end(answerWith('200 OK', body)));
    const client = startClient(server, 'apiKey');
    expect(await client.readLine()).toBe('preparing');
    await suspend(client, () => client.child.stdin.write('go\n'));
    expect(JSON.parse(await client.readLine())).toEqual({
      name: 'TimeoutError',
      outcome: 'not_sent',
      attempts: 0,
    });
    await once(client.child, 'exit');
    expect(server.requests).toHaveLength(0);
  });
});
