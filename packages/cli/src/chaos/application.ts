import { type ChildProcess, spawn, type SpawnOptions, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, parse } from 'node:path';
import { isListening } from '../dev/is-listening.ts';
import { sendSignal, spawnGroup } from '../dev/child.ts';
import { UsageError } from '../errors.ts';
import type { ChaosOptions } from './service.ts';

/** An end of all processes: SIGKILL at once, or SIGTERM, and SIGKILL after a while. Or SIGKILL of the process of `--kill`. */
export type Ending = 'SIGKILL' | 'SIGTERM' | '--kill';

/** Variables of a process. */
type Variables = Readonly<Record<string, string | undefined>>;

const CHECK_DELAY = 20;
/** The last part of the output that messages show, in characters. */
const SHOWN_OUTPUT = 2_000;
/** Maximum time until processes have ended after a signal, in milliseconds. */
const STOP_TIMEOUT = 3_000;
/** Maximum time until an instance is ready, in milliseconds. */
const START_TIMEOUT = 60_000;
/** Maximum time until the sockets of a killed process are closed, in milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/**
 * The program of a process that outlives a killed run: once its standard input closes, it kills the groups that the run
 * has noted there, and on Linux the processes with the marker of the run.
 */
const WATCHDOG = `
const fs = require('node:fs');
const groups = new Set();
const kill = (pid) => { try { process.kill(pid, 'SIGKILL'); } catch {} };
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => (line.startsWith('-') ? groups.delete(line.slice(1)) : groups.add(line)))
  .on('close', () => {
    for (const group of groups) kill(-group);
    for (const pid of process.platform === 'linux' ? fs.readdirSync('/proc') : []) {
      try { if (fs.readFileSync('/proc/' + pid + '/environ').includes(process.argv[1])) kill(pid); } catch {}
    }
  });
`;

/** The instances of the application, and the commands that trigger it. All processes end with the run, however it ends. */
export class Application {
  readonly #options: ChaosOptions;
  #env: Variables;
  #instances: readonly ChildProcess[] = [];
  /** The last output of all processes. */
  #output = '';
  /**
   * The time in milliseconds after which another process continues with a payment: that of the options, or the one that the
   * payer of the kit prints, which adds the difference of the clocks.
   */
  lease: number | undefined;
  /** A variable that finds processes which have left the group of their parent. */
  readonly #marker: string = crypto.randomUUID();
  readonly #children = new Set<ChildProcess>();
  readonly #watchdog: ChildProcess = spawn(process.execPath, ['-e', WATCHDOG, this.#marker], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#env = options.env;
    this.lease = options.lease;
    options.signal.addEventListener('abort', this.#killAll);
    this.#watchdog.on('error', () => {}).stdin?.on('error', () => {});
  }

  /** Starts all instances, and waits until they are ready. `changed` replaces variables, also at later starts. */
  async start(changed: Variables = {}): Promise<void> {
    const { ports, hasPorts, command } = this.#options;
    this.#env = { ...this.#env, ...changed };
    if (hasPorts) for (const port of ports) await this.#checkFree(port);
    this.#instances = await Promise.all(
      ports.map((port) => this.#startProcess(command, { ...this.#env, PORT: String(port) })),
    );
    await Promise.all(this.#instances.map((child, index) => this.#waitUntilReady(child, ports[index] ?? 0)));
  }

  /**
   * Starts a command in a separate group.
   *
   * @throws {UsageError} when there is no such program.
   */
  async #startProcess(
    argv: readonly string[],
    env: Variables,
    onOutput: (text: string) => void = this.#keepOutput,
  ): Promise<ChildProcess> {
    const variables = { ...env, SERVICE_CHAOS_RUN: this.#marker };
    const options: SpawnOptions = { env: variables, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = await spawnGroup(argv, options, 'service-cli chaos');
    child.stdout?.setEncoding('utf8').on('data', onOutput);
    child.stderr?.setEncoding('utf8').on('data', this.#keepOutput);
    // A process that cannot be found at the end must not keep this one.
    for (const stream of [child.stdout, child.stderr] as (Socket | null)[]) stream?.unref();
    this.#children.add(child);
    this.#watchdog.stdin?.write(`${child.pid}\n`);
    if (this.#options.signal.aborted) this.#killAll();
    return child;
  }

  readonly #keepOutput = (text: string): void => {
    const printed = /service payer: lease (\d+) ms, clock skew (\d+) ms/.exec(this.#output + text);
    if (printed !== null) this.lease ??= Number(printed[1]) + Number(printed[2]);
    this.#output = (this.#output + text).slice(-SHOWN_OUTPUT);
  };

  /** Its id can belong to another process from now on. */
  #forget(child: ChildProcess): void {
    this.#children.delete(child);
    this.#watchdog.stdin?.write(`-${child.pid}\n`);
  }

  /** Kills all processes with SIGKILL, at once. */
  readonly #killAll = (): void => {
    for (const child of this.#children) signalGroup(child, 'SIGKILL');
    for (const pid of findMarked(this.#marker)) sendSignal(pid, 'SIGKILL');
  };

  /** Repeats a check until it holds. Returns false after a time. An interrupt does not end it: the processes must end first. */
  async #until(check: () => boolean | Promise<boolean>, limit: number): Promise<boolean> {
    const { clock } = this.#options;
    const deadline = clock.now() + limit;
    const { signal } = new AbortController();
    while (!(await check())) {
      if (clock.now() > deadline) return false;
      await clock.sleep(CHECK_DELAY, signal);
    }
    return true;
  }

  /** Waits until all processes have ended, but not longer than a while. */
  async #untilEnded(): Promise<void> {
    const isLeftOver = (): boolean => [...this.#children].some(isLeft) || findMarked(this.#marker).length > 0;
    const hasEnded = await this.#until(() => !isLeftOver(), STOP_TIMEOUT);
    if (hasEnded) for (const child of this.#children) this.#forget(child);
  }

  /** @throws {UsageError} when another program has the port: the trigger would reach that program. */
  async #checkFree(port: number): Promise<void> {
    if (await this.#until(async () => !(await isListening(port)), CLOSE_TIMEOUT)) return;
    throw new UsageError(
      `Port ${port} of the application is in use by another program. Stop it, or pass --app-port.`,
    );
  }

  /** @throws {UsageError} when an instance ends, or is not ready in time. */
  async #waitUntilReady(child: ChildProcess, port: number): Promise<void> {
    const { clock, signal } = this.#options;
    let isReady = false;
    await this.#until(async () => {
      isReady = await this.#isReady(port);
      return isReady || !isRunning(child) || signal.aborted;
    }, START_TIMEOUT);
    if (isReady || signal.aborted) return;
    // The output of a process can be read after its end.
    await clock.sleep(CHECK_DELAY, signal);
    const how = isRunning(child)
      ? `was not ready at port ${port} (variable PORT) within 60 s. If it has another port, pass --app-port.`
      : `ended with ${child.signalCode ?? `code ${child.exitCode}`} before it was ready.`;
    throw new UsageError(`The application ${how} Its last output:\n${this.takeOutput()}`);
  }

  /** Returns whether an instance accepts connections. A worker needs no port. */
  async #isReady(port: number): Promise<boolean> {
    return !this.#options.hasPorts || isListening(port);
  }

  /** Returns whether all instances run and are ready. */
  async isAlive(): Promise<boolean> {
    const ready = await Promise.all(this.#options.ports.map((port) => this.#isReady(port)));
    return ready.every(Boolean) && this.#instances.every(isRunning);
  }

  /** Starts the application again, unless all instances run and are ready. */
  async ensureAlive(): Promise<void> {
    if (await this.isAlive()) return;
    await this.end('SIGKILL');
    await this.start();
  }

  /** Ends one process, or all of them. */
  async end(how: Ending): Promise<void> {
    const { kill } = this.#options;
    if (how === '--kill' && kill !== undefined) return void sendSignal(this.findNamed(kill), 'SIGKILL');
    if (how === 'SIGTERM') {
      for (const child of this.#children) signalGroup(child, how);
      await this.#untilEnded();
    }
    this.#killAll();
    await this.#untilEnded();
  }

  /**
   * Returns the process of the first instance with a name: the started command, or one in its group.
   *
   * @throws {UsageError} when there is none, or several.
   */
  findNamed(name: string): number {
    const [first] = this.#instances;
    const found = listProcesses()
      .map((line) => line.trim().split(/\s+/))
      // A shell has the whole script in its arguments.
      .filter(([, group, , flag]) => Number(group) === first?.pid && flag !== '-c')
      .filter(([, , ...words]) => words.some((word) => [basename(word), parse(word).name].includes(name)));
    if (found.length === 1) return Number(found[0]?.[0]);
    const how = found.length === 0 ? 'no process' : `${found.length} processes`;
    throw new UsageError(
      `--kill ${name}: ${how} of the application have that name. Pass the name of one program or script that the command starts.`,
    );
  }

  /** Runs a command in a shell, and returns its exit code. Kills it after `limit` milliseconds. `onOutput` gets its output. */
  async run(text: string, limit: number, onOutput?: (part: string) => void): Promise<number> {
    const child = await this.#startProcess(['sh', '-c', text], this.#env, onOutput);
    AbortSignal.timeout(limit).addEventListener('abort', () => {
      if (isRunning(child)) signalGroup(child, 'SIGKILL');
    });
    // A trigger can leave a process that keeps its output open.
    const [code] = (await once(child, onOutput === undefined ? 'exit' : 'close')) as [number | null];
    this.#forget(child);
    return code ?? -1;
  }

  /** Returns the last output since the last call. */
  takeOutput(): string {
    const output = this.#output.trim() || '(none)';
    this.#output = '';
    return output;
  }

  /** Ends all processes: SIGTERM, and SIGKILL after a while. */
  async close(): Promise<void> {
    await this.end('SIGTERM');
    this.#options.signal.removeEventListener('abort', this.#killAll);
    this.#watchdog.kill('SIGKILL');
  }
}

/** Returns whether a process has not ended. */
function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Returns whether a child or its group runs. On Linux not the group: its zombies count if the first process of a container reaps none. */
function isLeft(child: ChildProcess): boolean {
  return isRunning(child) || (process.platform !== 'linux' && signalGroup(child, 0));
}

/** Sends a signal to the group of a child; 0 sends none. Returns false if it has no process. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  return pid !== undefined && sendSignal(-pid, signal);
}

/** Returns the processes whose environment has the marker of a run. Linux only: elsewhere groups must be enough. */
function findMarked(marker: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    try {
      const isMarked = /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`).includes(marker);
      return isMarked ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** The options of an HTTP request to the application. */
export type SendOptions = Pick<RequestInit, 'method' | 'body'> & {
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends a request on a new connection, because the application can have ended since the last one. */
export function send(url: string, { headers, ...options }: SendOptions, timeout = 10_000): Promise<Response> {
  return fetch(url, {
    ...options,
    headers: { ...headers, Connection: 'close' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
  });
}

/** Lists the processes as lines of pid, group and command. Small images of Linux have no `ps`, and macOS has no `/proc`. */
function listProcesses(): readonly string[] {
  if (process.platform === 'linux') return readdirSync('/proc').map(describeProcess);
  const { stdout, error } = spawnSync('ps', ['-axo', 'pid=,pgid=,command='], { encoding: 'utf8' });
  if (error) throw new UsageError(`--kill needs the program ps: ${error.message}`);
  return stdout.split('\n');
}

/** Describes a process of `/proc`, or returns an empty text for another file and for a process that has ended. */
function describeProcess(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, can have any characters.
    const [, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${pid} ${group} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`;
  } catch {
    return '';
  }
}
