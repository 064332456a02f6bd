import type { ChildProcess } from 'node:child_process';
import type { RunClock } from '@service/internal';
import { isListening, listListeningPorts } from '../dev/app-port.ts';
import { UsageError } from '../errors.ts';
import { isRunning, Processes, type Variables } from './processes.ts';

/** The command of the application, and its environment. */
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
/** Maximum time until the sockets of a killed process are closed, in milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/** The instances of the application, and the commands that trigger it. */
export class Application extends Processes {
  readonly #options: ApplicationOptions;
  #env: Variables;
  #instances: readonly ChildProcess[] = [];

  constructor(options: ApplicationOptions) {
    super(options.clock, options.signal);
    this.#options = options;
    this.#env = options.env;
  }

  /** Starts all instances, and waits until they are ready. `changed` replaces variables, also at later starts. */
  async start(changed: Variables = {}): Promise<void> {
    const { ports, hasPorts, command } = this.#options;
    this.#env = { ...this.#env, ...changed };
    if (hasPorts) for (const port of ports) await this.#checkFree(port);
    this.#instances = await Promise.all(
      ports.map((port) => this.startProcess(command, { ...this.#env, PORT: String(port) })),
    );
    await Promise.all(this.#instances.map((child, index) => this.#waitUntilReady(child, ports[index] ?? 0)));
  }

  /** @throws {UsageError} when another program has the port: the trigger would reach that program. */
  async #checkFree(port: number): Promise<void> {
    const { clock, signal } = this.#options;
    const deadline = clock.now() + CLOSE_TIMEOUT;
    while (await isListening(port)) {
      if (clock.now() > deadline)
        throw new UsageError(
          `Port ${port} of the application is in use by another program. Stop it, or pass --app-port.`,
        );
      await clock.sleep(CHECK_DELAY, signal);
    }
  }

  /** @throws {UsageError} when an instance ends, or is not ready in time. */
  async #waitUntilReady(child: ChildProcess, port: number): Promise<void> {
    const { ready, clock, signal } = this.#options;
    const deadline = clock.now() + START_TIMEOUT;
    while (!signal.aborted) {
      if (await this.#isReady(port)) return;
      const output = `Its last output:\n${this.readOutput()}`;
      if (!isRunning(child)) {
        const how = child.exitCode === null ? child.signalCode : `code ${child.exitCode}`;
        throw new UsageError(`The application ended with ${how} before it was ready. ${output}`);
      }
      if (clock.now() > deadline) {
        const other = await listListeningPorts(child.pid);
        const hint = other.length === 0 ? '' : ` It listens on ${other.join(', ')}: pass --app-port.`;
        throw new UsageError(
          `The application was not ready at ${ready ?? `port ${port} (variable PORT)`} within 60 s.${hint} ${output}`,
        );
      }
      await clock.sleep(CHECK_DELAY, signal);
    }
  }

  /** Returns whether an instance responds at the URL of `ready`, or accepts connections. */
  async #isReady(port: number): Promise<boolean> {
    const { ready, ports, hasPorts } = this.#options;
    if (ready === undefined) return !hasPorts || isListening(port);
    const url = ready.replace(`:${ports[0]}`, `:${port}`);
    return send({ url, method: 'GET' }).then(
      ({ status }) => status < 500,
      () => false,
    );
  }

  /** Kills all processes with SIGKILL, at once, and waits until they have ended. */
  async kill(): Promise<void> {
    this.killAll();
    await this.haveEnded();
  }

  /** Returns whether all instances run and are ready. */
  async isAlive(): Promise<boolean> {
    const ready = await Promise.all(this.#options.ports.map((port) => this.#isReady(port)));
    return ready.every(Boolean) && this.#instances.every(isRunning);
  }

  /** Runs a command in a shell, and returns its exit code. Kills it after a time. `onOutput` gets what it prints. */
  async run(text: string, limit: number, onOutput?: (part: string) => void): Promise<number> {
    const output = onOutput === undefined ? 'file' : 'pipe';
    const child = await this.startProcess(['sh', '-c', text], this.#env, output);
    if (onOutput !== undefined) child.stdout?.setEncoding('utf8').on('data', onOutput);
    return this.waitForEnd(child, limit);
  }
}

/** An HTTP request to the application. */
export interface PlainRequest {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeout?: number;
}

/** Sends a request on a new connection, because the application can have ended since the last one. */
export function send({ url, method, headers, body, timeout = 10_000 }: PlainRequest): Promise<Response> {
  return fetch(url, {
    method,
    headers: { ...headers, Connection: 'close' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    ...(body !== undefined && { body }),
  });
}
