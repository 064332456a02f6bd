// Runs the packed `service-cli`: serves a mock, changes its state, smoke-tests it and probes it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

/** Runs commands of the installed CLI against its mock. Returns false if a command fails. */
export async function checkCli(project: string): Promise<boolean> {
  // Not `.bin/service-cli`, which is a shell script on Windows.
  const binary = join(project, 'node_modules/@service/cli/bin/service-cli.js');
  const mock = spawn(
    process.execPath,
    [binary, 'mock', '--port', '0', '--speed', '20', '--json', '--quiet'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const { baseUrl, testKey } = await readKeys(mock);
    const env = { ...process.env, SERVICE_BASE_URL: baseUrl, SERVICE_API_KEY: testKey };
    for (const args of [
      ['--help'],
      ['sandbox', 'wallet', 'credit', 'USD', '10.00'],
      ['smoke'],
      ['probe', '--no-payments'],
    ]) {
      const [code] = (await once(
        spawn(process.execPath, [binary, ...args], { stdio: 'inherit', env }),
        'close',
      )) as [number | null];
      if (code !== 0) return false;
    }
    return true;
  } finally {
    mock.kill();
  }
}

async function readKeys({ stdout }: ChildProcess): Promise<{ baseUrl: string; testKey: string }> {
  if (stdout === null) throw new Error('The mock has no output.');
  for await (const line of createInterface(stdout)) {
    return JSON.parse(line) as { baseUrl: string; testKey: string };
  }
  throw new Error('The mock exited before it printed its URL.');
}
