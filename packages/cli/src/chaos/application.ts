import type { ChildProcess } from 'node:child_process';
import { request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import type { RunClock } from '@service/internal';
import { listByLsof, listByProc } from '../dev/app-port.ts';
import { UsageError } from '../errors.ts';
import { isRunning, Processes, type Variables } from './processes.ts';

/** How the application is started. */
export interface ApplicationOptions {
  readonly command: readonly string[];
  /** The variables of all instances except `PORT`. */
  readonly env: Variables;
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

const CHECK_DELAY = 20;
/** Maximum time until an instance is ready, in milliseconds. */
const START_TIMEOUT = 60_000;

/** The instances of the application, and the commands that trigger it. */
export class Application {
  readonly #options: ApplicationOptions;
  readonly #processes: Processes;
  #env: Variables;
  #instances: readonly ChildProcess[] = [];

  constructor(options: ApplicationOptions) {
    this.#options = options;
    this.#env = options.env;
    this.#processes = new Processes(options.clock, options.signal);
  }

  /** The file with the output of all processes. */
  get log(): string {
    return this.#processes.log;
  }

  /** Starts all instances, and waits until they are ready. `changed` replaces variables, also at later starts. */
  async start(changed: Variables = {}): Promise<void> {
    const { ports, hasPorts, command } = this.#options;
    this.#env = { ...this.#env, ...changed };
    if (hasPorts) for (const port of ports) await checkFree(port);
    this.#instances = await Promise.all(
      ports.map((port) => this.#processes.start(command, { ...this.#env, PORT: String(port) })),
    );
    const context = { ...this.#options, readOutput: this.readOutput };
    await Promise.all(
      this.#instances.map((child, index) => waitUntilReady(child, ports[index] ?? 0, context)),
    );
  }

  /** Kills all processes with SIGKILL, at once, and waits until they have ended. */
  async kill(): Promise<void> {
    this.#processes.killAll();
    await this.#processes.haveEnded();
  }

  /** Returns whether all instances run and accept connections. */
  async isAlive(): Promise<boolean> {
    const { ports, hasPorts } = this.#options;
    const open = hasPorts ? await Promise.all(ports.map(isOpen)) : [];
    return open.every(Boolean) && this.#instances.every(isRunning);
  }

  /** Runs a command in a shell, and returns its exit code. Kills it after a time. */
  run(text: string, limit: number): Promise<number> {
    return this.#processes.run(text, this.#env, limit);
  }

  /** Runs a command in a shell, and returns what it prints. Kills it after a time. */
  read(text: string, limit: number): Promise<string> {
    return this.#processes.read(text, this.#env, limit);
  }

  /** Returns the last part of the output. */
  readonly readOutput = (): string => this.#processes.readOutput();

  /** Ends all processes. */
  close(): Promise<void> {
    return this.#processes.close();
  }
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
};

/** @throws {UsageError} when an instance ends, or is not ready in time. */
async function waitUntilReady(child: ChildProcess, port: number, options: ReadyOptions): Promise<void> {
  const { ready, ports, hasPorts, clock, signal, readOutput } = options;
  const url = ready?.replace(`:${ports[0]}`, `:${port}`);
  const isReady = async (): Promise<boolean> =>
    url === undefined ? !hasPorts || isOpen(port) : (await send({ url, method: 'GET' })).status < 500;
  const deadline = clock.now() + START_TIMEOUT;
  while (!signal.aborted) {
    if (await isReady().catch(() => false)) return;
    const output = `Its last output:\n${readOutput()}`;
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
