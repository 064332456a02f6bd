import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createFigure, type Figure } from './figure.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';

const ROUNDS = 15;
const cliPath = resolvePath('../../packages/cli/bin/service-cli.js');
const barePath = resolvePath('start/bare.js');

/** Compares the time from spawn to the first response of `service-cli mock` and of a bare script. */
export async function measureStart(): Promise<Figure[]> {
  const times = await runRounds(
    { cli: timeStart([cliPath, 'mock', '--port', '0', '--quiet']), bare: timeStart([barePath]) },
    ROUNDS,
  );
  return [
    createFigure('Start: spawn to first response, service-cli mock / bare', ratios(times.cli, times.bare), {
      goal: { atMost: 2.5 },
    }),
    createFigure('Start: service-cli mock', times.cli, { unit: ' ms' }),
    createFigure('Start: bare', times.bare, { unit: ' ms' }),
  ];
}

/** Returns a subject that times the start of a script, in milliseconds. The script prints `url` and `testKey` when it listens. */
function timeStart(script: readonly string[]): Subject {
  return async () => {
    const start = performance.now();
    const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await requestOnce(await readAddress(child.stdout));
      return performance.now() - start;
    } finally {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }
  };
}

interface ServerAddress {
  readonly url: string;
  readonly key: string;
}

async function readAddress(output: AsyncIterable<Buffer>): Promise<ServerAddress> {
  let text = '';
  for await (const part of output) {
    text += part.toString();
    const [, url, key] = /^url: +(\S+)\n[^]*^testKey: +(\S+)\n/m.exec(text) ?? [];
    if (url !== undefined && key !== undefined) return { url, key };
  }
  throw new Error('The server exited before it listened.');
}

async function requestOnce({ url, key }: ServerAddress): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${url}/api/v1/balance`, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`The first response was ${response.statusCode}, not 200.`);
  response.resume();
  await once(response, 'end');
}

function resolvePath(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
