import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { listen, type ListenOptions } from '@service/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import type { Environment } from '../src/session.ts';
import { run } from '../src/program.ts';
import { onRequest } from '../../../test/support/on-request.ts';

/** Creates a folder that is removed after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'service-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The keys and secrets of all tests. No output may contain one. */
const secrets = new Set<string>();

export function keepSecret(secret: string): string {
  secrets.add(secret);
  return secret;
}

export function expectNoSecret(text: string): void {
  for (const secret of secrets)
    expect(text.includes(secret), 'the output contains a key or secret').toBe(false);
}

export interface Step {
  name: string;
  status: string;
  detail: string;
  duration_ms: number;
  cause?: string;
}

/** The fields of JSON output that tests check. */
export interface Document {
  id: string;
  status: string;
  reference: string;
  payment_id: string;
  receive_amount: number;
  balances: unknown[];
  ok: boolean;
  steps: Step[];
  error: { message: string; cause: string };
}

/** The output and the exit code of a run. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  lines: string[];
  /** The JSON document on stdout, if there is exactly one. */
  document: Document;
  /** The JSON documents on stdout, one per line. */
  documents: Document[];
}

export interface MockServer extends AsyncDisposable {
  mock: Mock;
  key: string;
  env: Record<string, string>;
  /** Runs the CLI with its key and base URL. */
  run: (argv: string[], options?: RunOptions) => Promise<Ran>;
}

/** A test that can have a mock of its own. */
export const it = test.extend<{ mockServer: MockServer }>({
  mockServer: async ({}, use) => {
    await using mockServer = await startMockServer();
    await use(mockServer);
  },
});

export type RunOptions = Partial<Pick<Environment, 'env' | 'signal' | 'clock' | 'cwd'>> & {
  fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  stdin?: string | Uint8Array;
  isTTY?: boolean;
  /** The width of a terminal on stdout and stderr. They are pipes without it. */
  columns?: number | undefined;
  reveals?: boolean;
  onStdout?: (text: string) => void;
  onStderr?: (text: string) => void;
};

/** Runs the CLI in this process. Checks that stdout is JSON with --json, and that no output has a secret unless `reveals`. */
export async function runCli(argv: string[], options: RunOptions = {}): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const { columns } = options;
  const terminal = { isTTY: columns !== undefined, columns };
  const code = await run({
    argv,
    env: options.env ?? {},
    stdin: Object.assign(chunks(options.stdin), { isTTY: options.isTTY }),
    stdout: {
      ...terminal,
      write: (text) => {
        stdout += text;
        options.onStdout?.(text);
      },
    },
    stderr: {
      ...terminal,
      write: (text) => {
        stderr += text;
        options.onStderr?.(text);
      },
    },
    signal: options.signal ?? new AbortController().signal,
    fetch: options.fetch && onRequest(options.fetch),
    clock: options.clock,
    cwd: options.cwd,
  });
  if (options.reveals !== true) expectNoSecret(stdout + stderr);
  const lines = stdout.split('\n').slice(0, -1);
  const ran = { code, stdout, stderr, lines };
  const documents = argv.includes('--json') ? lines.map((line) => JSON.parse(line) as Document) : [];
  return { ...ran, documents, document: (documents.length === 1 ? documents[0] : {}) as Document };
}

async function* chunks(stdin: string | Uint8Array = ''): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(stdin as Uint8Array);
  // Two chunks, because a pipe can split the input anywhere.
  yield bytes.subarray(0, 1);
  yield bytes.subarray(1);
}

/** Starts a mock on a real socket. `env` has its key and base URL. */
export async function startMockServer(
  options: MockOptions = {},
  serving: ListenOptions = {},
): Promise<MockServer> {
  const start = options.clock === 'manual' ? '2026-01-31T12:00:00Z' : undefined;
  const mock = createMock({ clock: { speed: 60 }, seed: 42, start, ...options });
  const server = await listen(mock, { port: 0, grace: 0, ...serving });
  const key = keepSecret(mock.account.testKey);
  keepSecret(mock.account.liveKey);
  const env = { SERVICE_API_KEY: key, SERVICE_BASE_URL: server.baseUrl };
  return {
    mock,
    key,
    env,
    run: (argv, more) => runCli(argv, { env, ...more }),
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await mock.close();
    },
  };
}

/**
 * Runs `mock` while `use` runs with the document that it prints, and with the environment of other commands.
 * With `isText` it prints export commands instead, which are the environment.
 */
export async function withMock(
  argv: readonly string[],
  use: (printed: Record<string, string>, env: Record<string, string>) => Promise<void>,
  { isText = false, ...options }: RunOptions & { isText?: boolean } = {},
): Promise<Ran> {
  const controller = new AbortController();
  const { promise: started, resolve } = Promise.withResolvers<string>();
  const command = ['mock', '--port', '0', '--grace', '500ms', ...(isText ? [] : ['--json']), ...argv];
  const running = runCli(command, {
    signal: controller.signal,
    onStdout: resolve,
    reveals: true,
    ...options,
  });
  const text = await Promise.race([started, running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const exported = [...text.matchAll(/^export (\S+?)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const printed = (isText ? {} : JSON.parse(text)) as Record<string, string>;
  const { testKey: SERVICE_API_KEY = '', baseUrl: SERVICE_BASE_URL = '' } = printed;
  const env = isText ? Object.fromEntries(exported) : { SERVICE_API_KEY, SERVICE_BASE_URL };
  try {
    await use(printed, env as Record<string, string>);
  } finally {
    controller.abort('SIGINT');
  }
  return running;
}

export const testKey = keepSecret('service_test_0123456789abcdefghij');

/** Starts an HTTP server with the given request listener. */
export async function openService(
  answer: RequestListener,
): Promise<AsyncDisposable & { env: Record<string, string>; server: Server }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    env: { SERVICE_API_KEY: testKey, SERVICE_BASE_URL: `http://127.0.0.1:${port}/api/v1` },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Creates an output callback that fails with an error code. */
export function failedWrite(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: write`), { code });
  };
}

/** Words of a command line, and a part of the message for them. */
type Refusal = readonly [argv: string | readonly string[], message: string | RegExp, options?: RunOptions];

/** Runs command lines, and lists those that do not exit 2 with their message, or that print a result or send a request. */
export async function expectRefusals(
  { command = '', ...options }: RunOptions & { command?: string },
  refusals: readonly Refusal[],
): Promise<void> {
  const isSaid = (text: string, message: string | RegExp): boolean =>
    typeof message === 'string'
      ? text.replaceAll(/\s+/g, ' ').includes(message.replaceAll(/\s+/g, ' '))
      : message.test(text);
  const wrong: unknown[] = [];
  for (const [argv, message, more] of refusals) {
    let requests = 0;
    const fetch = (): Promise<Response> => Promise.reject(new Error(`request ${(requests += 1)}`));
    const words = typeof argv === 'string' ? argv.split(' ') : argv;
    const ran = await runCli([...command.split(' ').filter(Boolean), ...words], {
      fetch,
      ...options,
      ...more,
    });
    const isRefused =
      ran.code === 2 &&
      (ran.stdout === '' || words.includes('--json')) &&
      /^error: [^]*\nexplain: service-cli explain \w+\n$/m.test(ran.stderr);
    if (!isRefused || requests > 0 || !isSaid(ran.stderr, message)) wrong.push({ argv, message, ran });
  }
  expect(wrong).toEqual([]);
}

/** Returns the line of an error that names its code. */
export function toExplainLine(code = 'usage_error'): string {
  return `explain: service-cli explain ${code}\n`;
}

/** Returns a free port of this machine. */
export async function findFreePort(): Promise<number> {
  const { SERVICE_BASE_URL = '' } = await closedEnvironment();
  return Number(new URL(SERVICE_BASE_URL).port);
}

/** Returns the environment of a port that refuses connections. */
export async function closedEnvironment(): Promise<Record<string, string>> {
  const { env, ...service } = await openService(() => {});
  await service[Symbol.asyncDispose]();
  return env;
}

/** The body of a webhook. */
export const eventBody = JSON.stringify({
  event: 'payment.completed',
  created_at: '2026-01-31T12:00:00+00:00',
  data: {
    id: 'pay_test_1',
    status: 'completed',
    from_currency: 'USD',
    to_currency: 'EUR',
    send_amount: 1000,
    receive_amount: 916.69,
    mode: 'test',
  },
});
