import { type ChildProcess, spawn } from 'node:child_process';
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

/** Starts a process that opens a log. */
export function startLogProcess(file: string): LogProcess {
  const fixture = join(import.meta.dirname, 'fixtures/hold-log.ts');
  const flags = ['--conditions=@service/source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, fixture, file], { stdio: ['pipe', 'pipe', 'inherit'] });
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
