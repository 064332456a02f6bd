import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunClock } from '@service/internal';
import { listByLsof, listByProc } from '../dev/app-port.ts';
import { UsageError } from '../errors.ts';

/** How the application is started. */
export interface ApplicationOptions {
  readonly command: readonly string[];
  /** The variables of all instances except `PORT`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The port of each instance. */
  readonly ports: readonly number[];
  /** Whether the instances must accept connections at their ports. False for workers. */
  readonly hasPorts: boolean;
  /** A URL that responds without an error of the server once an instance is ready. Without one, its port must be open. */
  readonly ready: string | undefined;
  readonly clock: RunClock;
  /** Ends all processes. */
  readonly signal: AbortSignal;
}

/** The instances of the application, and the commands that trigger it. */
export interface Application {
  /** The file with the output of all processes. */
  readonly log: string;
  /** Starts all instances, and waits until they are ready. `changed` replaces variables, also at later starts. */
  readonly start: (changed?: Readonly<Record<string, string>>) => Promise<void>;
  /** Kills all instances with SIGKILL, at once, and waits until their processes have ended. */
  readonly kill: () => Promise<void>;
  /** Returns whether all instances run and accept connections. */
  readonly isAlive: () => Promise<boolean>;
  /** Runs a command in a shell, and returns its exit code. Kills it after a time. */
  readonly run: (text: string, limit: number) => Promise<number>;
  /** Runs a command in a shell, and returns what it prints. Kills it after a time. */
  readonly read: (text: string, limit: number) => Promise<string>;
  /** Returns the last lines of the output. */
  readonly readOutput: () => string;
  /** Ends all processes: SIGTERM, and SIGKILL after a while. */
  readonly close: () => Promise<void>;
}

const CHECK_DELAY = 20;
/** Maximum time until an instance is ready, and until its processes end after SIGTERM, in milliseconds. */
const START_TIMEOUT = 60_000;
const STOP_TIMEOUT = 3_000;
/** The last part of the output that messages show, in bytes. */
const SHOWN_OUTPUT = 2_000;

/** Creates an application that is not started yet. */
export function createApplication(options: ApplicationOptions): Application {
  const { command, ports, hasPorts, clock, signal } = options;
  // Finds processes that left the group of their parent.
  const marker = crypto.randomUUID();
  const env: Record<string, string | undefined> = { ...options.env, SERVICE_CHAOS_RUN: marker };
  const log = join(mkdtempSync(join(tmpdir(), 'service-chaos-')), 'output.log');
  const file = openSync(log, 'a+', 0o600);
  const children = new Set<ChildProcess>();
  let instances: ChildProcess[] = [];
  const startChild = async (argv: readonly string[], variables: object, output: 'pipe' | number) => {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, {
      env: { ...env, ...variables },
      stdio: ['ignore', output, file],
      detached: true,
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
      children.delete(child);
      throw new UsageError(`Cannot start ${JSON.stringify(program)} (${error.code ?? 'unknown error'}).`);
    });
    if (signal.aborted) signalGroup(child, 'SIGKILL');
    return child;
  };
  const startShell = async (text: string, limit: number, output: 'pipe' | number): Promise<ChildProcess> => {
    const child = await startChild(['sh', '-c', text], {}, output);
    AbortSignal.timeout(limit).addEventListener('abort', () => signalGroup(child, 'SIGKILL'));
    return child;
  };
  const killAll = (): void => {
    for (const child of [...instances, ...children]) signalGroup(child, 'SIGKILL');
    for (const pid of findMarked(marker)) signalProcess(pid, 'SIGKILL');
  };
  const hangUp = (): void => {
    killAll();
    process.exit(129);
  };
  signal.addEventListener('abort', killAll);
  process.on('exit', killAll).on('SIGHUP', hangUp);
  const haveEnded = async (limit: number): Promise<boolean> => {
    const deadline = clock.now() + limit;
    const isRunning = (): boolean =>
      instances.some((each) => signalGroup(each, 0)) || findMarked(marker).length > 0;
    // Not the signal of the run, after which sleeping would end at once.
    const { signal: never } = new AbortController();
    while (isRunning() && clock.now() < deadline) await clock.sleep(CHECK_DELAY, never);
    return !isRunning();
  };
  const readOutput = (): string => readEnd(file);
  return {
    log,
    async start(changed = {}) {
      Object.assign(env, changed);
      if (hasPorts) for (const port of ports) await checkFree(port);
      instances = await Promise.all(
        ports.map((port) => startChild(command, { PORT: String(port) }, file)),
      );
      await Promise.all(
        instances.map((child, index) =>
          waitUntilReady(child, ports[index] ?? 0, { ...options, readOutput, isFirst: index === 0 }),
        ),
      );
    },
    async kill() {
      killAll();
      await haveEnded(STOP_TIMEOUT);
    },
    async isAlive() {
      const open = hasPorts ? await Promise.all(ports.map(isOpen)) : [];
      return open.every(Boolean) && instances.every((child) => isRunning(child));
    },
    async run(text, limit) {
      const child = await startShell(text, limit, file);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code ?? -1;
    },
    async read(text, limit) {
      const child = await startShell(text, limit, 'pipe');
      let output = '';
      child.stdout?.setEncoding('utf8').on('data', (part: string) => (output += part.slice(0, SHOWN_OUTPUT)));
      await once(child, 'close');
      return output;
    },
    readOutput,
    async close() {
      for (const child of instances) signalGroup(child, 'SIGTERM');
      if (!(await haveEnded(STOP_TIMEOUT))) killAll();
      await haveEnded(STOP_TIMEOUT);
      signal.removeEventListener('abort', killAll);
      process.off('exit', killAll).off('SIGHUP', hangUp);
      closeSync(file);
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Sends a signal to the group of a child; 0 sends none. Returns false if it has no process. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  return pid !== undefined && signalProcess(-pid, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
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

/** Reads the last part of a file. */
function readEnd(file: number): string {
  const { size } = fstatSync(file);
  const start = Math.max(0, size - SHOWN_OUTPUT);
  const bytes = Buffer.alloc(size - start);
  readSync(file, bytes, 0, bytes.length, start);
  return bytes.toString().trim();
}

/** @throws {UsageError} when another program has the port: the trigger would reach that program. */
async function checkFree(port: number): Promise<void> {
  if (await isOpen(port))
    throw new UsageError(
      `Port ${port} of the application is in use by another program. Stop it, or pass --app-port.`,
    );
}

/** Whether something accepts connections at a port of this machine. */
function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: 'localhost', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

type ReadyOptions = ApplicationOptions & {
  readonly readOutput: () => string;
  readonly isFirst: boolean;
};

/** @throws {UsageError} when an instance ends, or is not ready in time. */
async function waitUntilReady(child: ChildProcess, port: number, options: ReadyOptions): Promise<void> {
  const { ready, hasPorts, clock, signal, readOutput, isFirst } = options;
  const url = isFirst ? ready : ready?.replace(/:\d+/, `:${port}`);
  const isReady = async (): Promise<boolean> =>
    url === undefined ? !hasPorts || isOpen(port) : (await send({ url, method: 'GET' })).status < 500;
  const deadline = clock.now() + START_TIMEOUT;
  while (!signal.aborted) {
    if (await isReady().catch(() => false)) return;
    const output = `Its last output:\n${readOutput() || '(none)'}`;
    if (!isRunning(child)) {
      const how = child.exitCode === null ? child.signalCode : `code ${child.exitCode}`;
      throw new UsageError(`The application ended with ${how} before it was ready. ${output}`);
    }
    if (clock.now() > deadline) {
      const other = await listPorts(child);
      const hint = other.length === 0 ? '' : ` It listens on ${other.join(', ')}: pass --app-port.`;
      throw new UsageError(
        `The application was not ready at ${url ?? `port ${port} (variable PORT)`} within 60 s.${hint} ${output}`,
      );
    }
    await clock.sleep(CHECK_DELAY, signal);
  }
}

async function listPorts({ pid = 0 }: ChildProcess): Promise<number[]> {
  const ports = process.platform === 'linux' ? await listByProc(pid) : await listByLsof(pid);
  return [...new Set(ports)].toSorted((a, b) => a - b);
}

/** An HTTP request to the application. */
export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeout?: number;
}

/** The status and the body of a response. */
interface PlainResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends a request on a new connection, because the application can have ended since the last one. */
export function send({
  url,
  method,
  headers = {},
  body = '',
  timeout = 10_000,
}: PlainRequest): Promise<PlainResponse> {
  return new Promise((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...(body && length) }, agent: false, timeout };
    const request = sendRequest(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error('no response in time')));
    request.end(body);
  });
}
