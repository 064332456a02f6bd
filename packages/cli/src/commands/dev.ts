import { parseRecord } from '@service/internal';
import { createMock, type Mock, type SandboxSeed } from '@service/mock';
import type { MockServer } from '@service/mock/node';
import { commandArgument, defineCommand, requireCommand, value, type ValuesOf } from '../command.ts';
import { runChild } from '../dev/child.ts';
import { isListening } from '../dev/is-listening.ts';
import { configure, describeDefect, UsageError } from '../errors.ts';
import { serveMock } from '../mock-server.ts';
import { parsePath, parsePositive, parseWhole } from '../parse.ts';
import { findSeed } from '../seed-file.ts';
import type { DefineCommand, Session } from '../session.ts';
import { toLogLine } from '../terminal.ts';

/** The path of the webhook route. */
const DEFAULT_PATH = '/webhooks';

const input = {
  command: commandArgument('the command and its arguments, after --'),
  webhooks: value<string | false>(
    '<path>',
    `path of the app's webhook route (default: ${DEFAULT_PATH})`,
    parsePath,
    { off: 'send no webhooks' },
  ),
  appPort: value('<port>', 'port of the app (default: PORT, else 3000)', parseWhole(1, 65_535)),
  port: value('<port>', 'port of the mock (default: 4010, or a free one)', parseWhole(0, 65_535)),
  speed: value('<factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive),
  seedFile: value('<file>', 'initial state (default: service.sandbox.yaml, if there is one)'),
};

type Options = ValuesOf<typeof input>;

/** Defines `dev`, which runs a command with a mock until the command ends. */
export const devCommand: DefineCommand = defineCommand({
  input,
  help: `The command gets SERVICE_BASE_URL, SERVICE_API_KEY and SERVICE_WEBHOOK_SECRET, and keeps the terminal.
Each request and each webhook is one line on stderr. The exit code is that of the command.

Example:
  $ service-cli dev -- npm run dev
  $ service-cli dev --speed 10 -- npm test`,
  run: runDev,
});

async function runDev(session: Session, options: Options): Promise<number> {
  requireCommand(options.command, session, 'service-cli dev', 'npm run dev');
  const { env, clock, output } = session;
  const { path, seed } = await findSeed(session, options.seedFile);
  if (path !== undefined) output.note(`mock: starts with ${path}`);
  const target = findTarget(seed, options, env.PORT);
  const hasWebhooks = options.webhooks !== false;
  const ended = new AbortController();
  const mockOptions = {
    initial: seed,
    clock: options.speed === undefined ? undefined : { speed: options.speed },
    // A front end in development can call the mock (docs/contract.md#transport).
    cors: 'loopback',
    fetch: createSender(session, target, ended.signal),
    onDefect: (error: unknown) => output.log({ error: describeDefect(error) }, describeDefect(error)),
  } as const;
  await using mock = await configure(() => createMock(mockOptions));
  const endpoint = { ...seed.accounts?.[0]?.endpoint, url: target.url };
  const secret = hasWebhooks ? mock.sandbox.webhooks.setEndpoint(endpoint).secret : '';
  if (!hasWebhooks) mock.sandbox.webhooks.removeEndpoint();
  // A reset of the sandbox returns to this state, so it keeps the key and the secret of the command.
  mock.sandbox.baseline();
  await using server = await startServer(session, mock, options.port);
  output.note(`mock: runs at ${server.baseUrl}, dashboard at ${server.url}/`);
  if (hasWebhooks) output.note(`mock: webhooks go to ${target.url}`);
  const variables = {
    SERVICE_BASE_URL: server.baseUrl,
    SERVICE_API_KEY: mock.account.testKey,
    ...(hasWebhooks && { SERVICE_WEBHOOK_SECRET: secret }),
  };
  const exitCode = await runChild(options.command, { ...env, ...variables }, clock);
  // The app has ended: webhooks that wait for it would delay the end.
  ended.abort();
  return exitCode;
}

/** The port of an app for which none is named. */
const DEFAULT_PORT = 3000;

/** The webhook route of an app. */
type Target = ReturnType<typeof findTarget>;

/** Returns the webhook route of an app: of the options and `PORT`, else of the endpoint in the seed, else the default one. */
function findTarget(seed: SandboxSeed, { webhooks, appPort }: Options, variable: string | undefined) {
  const given = seed.accounts?.[0]?.endpoint?.url ?? '';
  const endpoint = URL.canParse(given) ? new URL(given) : undefined;
  const path = webhooks || (endpoint ? endpoint.pathname + endpoint.search : DEFAULT_PATH);
  const port = appPort ?? readPort(variable) ?? readPort(endpoint?.port) ?? DEFAULT_PORT;
  return { port, url: new URL(path, `http://localhost:${port}`).href };
}

function readPort(text: string | undefined): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text ?? '') && port >= 1 && port <= 65_535 ? port : undefined;
}

/** Delay between two checks whether the app listens, in milliseconds. */
const CHECK_DELAY = 100;

/**
 * Creates the function that sends webhooks. It waits until the app listens, and prints each attempt.
 *
 * @param ended Ends all waiting.
 */
function createSender(
  { clock, output, fetch = globalThis.fetch }: Session,
  target: Target,
  ended: AbortSignal,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { url, method, headers, redirect, signal } = request;
    const until = AbortSignal.any([signal, ended]);
    while (url === target.url && !until.aborted && !(await isListening(target.port)))
      await clock.sleep(CHECK_DELAY, until);
    until.throwIfAborted();
    const body = await request.arrayBuffer();
    const startedAt = clock.now();
    const { event } = parseRecord(new TextDecoder().decode(body)) ?? {};
    /** Prints the attempt: time, event, URL, status and duration. There is no status without a response. */
    const log = (status?: number): void => {
      const at = new Date(clock.now()).toISOString();
      const duration_ms = Math.round(clock.now() - startedAt);
      const detail = status === 404 ? '(does the app have this route? See --webhooks)' : undefined;
      const line = toLogLine({ at, words: [String(event), url], status, ms: duration_ms, detail });
      output.log({ at, event, url, status: status ?? null, duration_ms }, ['mock: ', ...line]);
    };
    try {
      // With the body of a `Request`, a stream, fetch sends chunks, which `http.server` of Python does not read.
      const init = { method, headers, redirect, signal, body };
      const response = await fetch(new Request(url, init));
      log(response.status);
      return response;
    } catch (error) {
      if (!ended.aborted) log();
      throw error;
    }
  };
}

/** Serves the mock at the port of `service-cli mock`, or at a free one if that is in use. */
async function startServer(session: Session, mock: Mock, port: number | undefined): Promise<MockServer> {
  const { log } = session.output;
  const serve = (number: number): Promise<MockServer> =>
    serveMock(session, mock, {
      port: number,
      host: '127.0.0.1',
      log: (document, line) => log(document, ['mock: ', ...line]),
    });
  try {
    return await serve(port ?? 4010);
  } catch (error) {
    const isUsed = error instanceof UsageError && error.code === 'port_in_use';
    if (port === undefined && isUsed) return serve(0);
    throw error;
  }
}
