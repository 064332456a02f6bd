import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createFigure, type Figure } from './figure.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';

const ROUNDS = 15;
const CLI = locate('../../packages/cli/bin/service-cli.js');
const BARE = locate('start/bare.js');

/** Measures `service-cli mock` against a bare script: from spawn to the first answer. */
export async function measureStart(): Promise<Figure[]> {
  const times = await runRounds(
    { cli: timeStart([CLI, 'mock', '--port', '0']), bare: timeStart([BARE]) },
    ROUNDS,
  );
  return [
    createFigure('Start: spawn to first answer, service-cli mock / bare', ratios(times.cli, times.bare), {
      goal: { atMost: 2.5 },
    }),
    createFigure('Start: service-cli mock', times.cli, { unit: ' ms' }),
    createFigure('Start: bare', times.bare, { unit: ' ms' }),
  ];
}

/** Times the start of a script that prints `url` and `testKey` once it listens; returns milliseconds. */
function timeStart(script: readonly string[]): Subject {
  return async () => {
    const start = performance.now();
    const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await requestOnce(await readPrinted(child.stdout));
      return performance.now() - start;
    } finally {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }
  };
}

interface Printed {
  readonly url: string;
  readonly key: string;
}

async function readPrinted(output: AsyncIterable<Buffer>): Promise<Printed> {
  let text = '';
  for await (const part of output) {
    text += part.toString();
    const [, url, key] = /^url: +(\S+)\n[^]*^testKey: +(\S+)\n/m.exec(text) ?? [];
    if (url !== undefined && key !== undefined) return { url, key };
  }
  throw new Error('a server ended before it listened');
}

async function requestOnce({ url, key }: Printed): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${url}/api/v1/balance`, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the first answer was ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
}

function locate(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
