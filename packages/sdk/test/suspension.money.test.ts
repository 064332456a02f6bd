// A process that is suspended (SIGSTOP, a laptop lid, a frozen container) for longer than its timeout, over a real socket.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, it, type TestContext } from 'vitest';
import { payment } from './service.ts';
import { formatResponse, listen, type SocketServer } from './socket-server.ts';

/** On a busy machine, seconds can pass between the request and the signal that suspends the process. */
const TIMEOUT = 10_000;
const TEST_TIMEOUT = 120_000;
const program = fileURLToPath(new URL('suspended-client.ts', import.meta.url));
const body = JSON.stringify({ success: true, mode: 'test', data: payment });

interface Client {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly exited: Promise<unknown>;
  readonly readLine: () => Promise<string>;
}

function startClient({ baseUrl }: SocketServer, { onTestFinished }: TestContext, place = ''): Client {
  const child = spawn(process.execPath, [program, baseUrl, String(TIMEOUT), place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return { child, exited: once(child, 'exit'), readLine: async () => String((await lines.next()).value) };
}

/** Suspends a process until 2 s after its timeout; `work` runs meanwhile. */
async function suspend({ child }: Client, { expect }: TestContext, work: () => unknown): Promise<void> {
  child.kill('SIGSTOP');
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
  await expect.poll(state).toBe('T');
  await work();
  const end = performance.now() + TIMEOUT + 2_000;
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

describe.runIf(process.platform === 'linux')(
  'a create in a process that was suspended beyond its timeout',
  { timeout: TEST_TIMEOUT },
  () => {
    // Concurrent, because each test waits for seconds.
    it.concurrent.for([
      ['plain', formatResponse('200 OK', body)],
      ['chunked', chunked],
      ['compressed', zipped],
    ] as const)(
      'returns the payment of a %s response that arrived meanwhile',
      async ([, response], context) => {
        const { expect } = context;
        const sockets: Socket[] = [];
        await using server = await listen((socket) => void sockets.push(socket));
        const client = startClient(server, context);
        await server.reached(1);
        await suspend(client, context, () => new Promise((resolve) => sockets[0]?.write(response, resolve)));
        expect(JSON.parse(await client.readLine())).toMatchObject({ id: payment.id });
      },
    );

    it.concurrent('reports an unknown outcome if no response arrived', async (context) => {
      const { expect } = context;
      await using server = await listen(() => {});
      const client = startClient(server, context);
      await server.reached(1);
      await suspend(client, context, () => {});
      expect(JSON.parse(await client.readLine())).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        outcome: 'unknown',
        attempts: 1,
      });
    });

    it.concurrent('sends nothing if the process was suspended before the request', async (context) => {
      const { expect } = context;
      await using server = await listen((socket) => socket.end(formatResponse('200 OK', body)));
      const client = startClient(server, context, 'apiKey');
      expect(await client.readLine()).toBe('preparing');
      await suspend(client, context, () => client.child.stdin.write('go\n'));
      expect(JSON.parse(await client.readLine())).toEqual({
        name: 'TimeoutError',
        outcome: 'not_sent',
        attempts: 0,
      });
      await client.exited;
      expect(server.requests).toHaveLength(0);
    });
  },
);
