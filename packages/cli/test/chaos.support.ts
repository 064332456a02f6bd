import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunClock, runClock } from '@service/internal';
import { onTestFinished } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { findFreePorts } from '../src/chaos/runner.ts';

export const main = new URL('../src/main.ts', import.meta.url).pathname;
export const fixture = new URL('fixtures/chaos-app.ts', import.meta.url).pathname;
export const fromSource = '--conditions=@service/source';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Setup {
  /** The behavior of the application: `correct`, or one that a test names. */
  readonly app?: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  /** The options with the port of the application. */
  readonly trigger?: string | ((port: number) => string);
  readonly handled?: (port: number) => string;
  /** An empty text for none. */
  readonly webhooks?: string;
}

/** A run in a folder and with processes of its own. */
interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  /** The working directory, which has the state of the application. */
  readonly folder: string;
  readonly ended: Promise<Ended>;
}

/** Starts `service-cli chaos` in a separate process. */
export async function start({
  app = 'correct',
  options = [],
  env,
  command,
  trigger,
  handled,
  webhooks = '/webhooks',
}: Setup = {}): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'chaos-test-'));
  const [port = 0] = await findFreePorts(1);
  const defaults = {
    ...(handled && { handled: handled(port) }),
    trigger:
      (typeof trigger === 'function' ? trigger(port) : trigger) ??
      `POST http://localhost:${port}/{reference}/{amount}`,
    'app-port': port,
    ...(webhooks && { webhooks }),
    'client-timeout': '500ms',
    settle: '500ms',
  };
  const given = Object.entries(defaults).map(([name, value]) => `--${name}=${value}`);
  const program = command ?? [process.execPath, fixture, app];
  const argv = [...given, ...options, '--', ...program];
  const child = spawn(process.execPath, [fromSource, main, 'chaos', ...argv], {
    cwd: folder,
    env: { ...childEnv, TMPDIR: folder, ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  return { child, port, folder, ended: end(child) };
}

export async function end(child: ChildProcess): Promise<Ended> {
  const seen = { stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk: Buffer) => (seen.stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (seen.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...seen };
}

export const runChaos = async (setup?: Setup): Promise<Ended> => (await start(setup)).ended;

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns the processes of the application that still run. It notes all of them. */
export function listLeftovers(folder: string): number[] {
  const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
  return pids.filter((pid) => {
    try {
      if (process.platform !== 'linux') return process.kill(pid, 0);
      // The first process of a container may not reap zombies.
      return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });
}

/** Returns the files that are not those of the application. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => !/^(?:pids|port|triggers|(?:paid|handled)-.*)$/.test(name));
}

/** A clock that is 60 times as fast as the system clock. */
export const fastClock: RunClock = {
  now: () => Date.now() * 60,
  sleep: (milliseconds, signal) => runClock.sleep(milliseconds / 60, signal),
};

export const only = (...names: string[]): string[] => ['--only', names.join(',')];
