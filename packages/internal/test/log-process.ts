import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** A process that holds an append log. */
export interface LogProcess {
  readonly child: ChildProcess;
  /** The line that it prints next. */
  readonly next: () => Promise<string>;
  /** Makes it append a line. */
  readonly append: (line: string) => Promise<string>;
  /** Makes it close the log and end. */
  readonly close: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** How to start a process as the first one of a new pid namespace, like the process of a container. */
export interface Container {
  readonly command: readonly string[];
  /** The arguments for the process `index`. */
  readonly argumentsFor: (index: number) => readonly string[];
}

/**
 * Returns how to start containers. Where the system permits no namespaces, the processes have the identity of such
 * processes: each is process 1 of a namespace with another name.
 */
export function findContainers(): Container {
  const namespace = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  for (const command of [namespace, [...namespace, '--user', '--map-root-user']]) {
    const [program = '', ...options] = command;
    if (spawnSync(program, [...options, 'true']).status === 0) return { command, argumentsFor: () => [] };
  }
  return { command: [], argumentsFor: (index) => [`pid:[${index}]`] };
}

/** Starts a process that opens a log. */
export function startLogProcess(
  file: string,
  { command = [], extra = [] }: { command?: readonly string[]; extra?: readonly string[] } = {},
): LogProcess {
  const fixture = join(import.meta.dirname, 'fixtures/hold-log.ts');
  const [program = '', ...args] = [
    ...command,
    process.execPath,
    '--conditions=@service/source',
    '--disable-warning=ExperimentalWarning',
    fixture,
    file,
    ...extra,
  ];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Interface = createInterface(child.stdout);
  const iterator = lines[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await iterator.next()).value);
  return {
    child,
    next,
    append(line) {
      child.stdin.write(`${line}\n`);
      return next();
    },
    async close() {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
    },
    async kill() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
