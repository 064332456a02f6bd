// 1 000 creates each behind an nginx that repeats requests, with and without idempotency keys.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type GatewayFigures,
  type GatewayRun,
  type LocalServer,
  payBehindGateway,
} from '../../test/support/gateway.ts';

const CREATES = 1_000;
const SEED = 20_260_131;

type Case = Pick<GatewayRun, 'keys' | 'service' | 'funds'> & {
  /** Whether every payment must be created at most once and never be falsely rejected. */
  readonly isSafe: boolean;
};

const cases: readonly Case[] = [
  { keys: 'omit', service: 'replayed', funds: 2, isSafe: false },
  { keys: 'omit', service: 'replayed', funds: 1, isSafe: false },
  { keys: 'send', service: 'ignored', funds: 2, isSafe: false },
  { keys: 'send', service: 'ignored', funds: 1, isSafe: false },
  { keys: 'send', service: 'replayed', funds: 2, isSafe: true },
  { keys: 'send', service: 'replayed', funds: 1, isSafe: true },
  { keys: 'send', service: 'conflict', funds: 2, isSafe: true },
  { keys: 'send', service: 'conflict', funds: 1, isSafe: true },
];

/** Runs every case and prints a table. Returns false if a case that must be safe is not. */
async function runCases(): Promise<boolean> {
  const rows: object[] = [];
  let isCorrect = true;
  for (const { isSafe, ...part } of cases) {
    const figures = await payBehindGateway({ creates: CREATES, seed: SEED, ...part }, startNginx);
    rows.push(toRow(part, figures));
    const wrong = figures.paidTwice + figures.falselyRejected;
    // Without keys the faults must appear, or the run would prove nothing.
    if (figures.missing > 0 || (isSafe ? wrong > 0 : wrong === 0)) isCorrect = false;
  }
  console.table(rows);
  return isCorrect;
}

function toRow({ keys, service, funds }: Omit<Case, 'isSafe'>, figures: GatewayFigures): object {
  const { outcomes, paidTwice, falselyRejected } = figures;
  return {
    'keys of the client': keys,
    'keys at the service': service,
    'wallet pays for': funds,
    creates: CREATES,
    'paid twice': paidTwice,
    'falsely rejected': falselyRejected,
    ...outcomes,
  };
}

/** Starts an nginx that repeats every failed request, even if it may have been processed. */
async function startNginx(upstreams: readonly number[]): Promise<LocalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  // If root starts nginx, its workers run as another user.
  chmodSync(folder, 0o777);
  const port = await findFreePort();
  writeFileSync(join(folder, 'nginx.conf'), createNginxConfig(port, upstreams));
  const args = ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'];
  const nginx = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  nginx.stderr.on('data', (text: Buffer) => (log = (log + String(text)).slice(-2_000)));
  nginx.on('error', () => (log = 'nginx is not installed. On Debian: apt-get install nginx-light'));
  while (!(await canConnect(port))) {
    if (nginx.pid === undefined || nginx.exitCode !== null) throw new Error(log);
    await wait(20);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createNginxConfig(port: number, upstreams: readonly number[]): string {
  const servers = upstreams.map((upstream) => `server 127.0.0.1:${upstream} max_fails=0;`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  return `
    daemon off;
    worker_processes 1;
    pid nginx.pid;
    events {}
    http {
      access_log off;
      ${temporary.join('\n')}
      upstream service { ${servers.join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://service;
          proxy_set_header Host $http_host;
          proxy_next_upstream error timeout non_idempotent;
          proxy_read_timeout 200ms;
        }
      }
    }`;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

if (!(await runCases())) process.exitCode = 1;
