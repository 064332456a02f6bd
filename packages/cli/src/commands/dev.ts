import { parseRecord } from '@service/internal';
import { createMock, type Mock, type SandboxSeed } from '@service/mock';
import type { MockServer } from '@service/mock/node';
import { commandArgument, defineCommand, requireCommand, value, type ValuesOf } from '../command.ts';
import { findAppPort } from '../dev/app-port.ts';
import { startChild } from '../dev/child.ts';
import { configure, describeDefect, UsageError } from '../errors.ts';
import { serveMock } from '../mock-server.ts';
import { parsePath, parsePositive, parseWhole } from '../parse.ts';
import { findSeed } from '../seed-file.ts';
import type { DefineCommand, Session } from '../session.ts';

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
  appPort: value('<port>', 'port of the app (default: PORT, else its lowest port)', parseWhole(1, 65_535)),
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
  const file = await configure(() => findSeed(session, options.seedFile, {}));
  if (file.path !== undefined) output.note(`mock: starts with ${file.path}`);
  const seed = await configure(file.read);
  const target = findTarget(seed, options, env.PORT);
  const hasWebhooks = options.webhooks !== false;
  const ended = new AbortController();
  let group: number | undefined;
  const onUrl = (url: string): void => {
    mock.sandbox.webhooks.setEndpoint({ url, secret });
    output.insert({ webhooks: url }, `mock: webhooks go to ${url}`);
  };
  const app = createAppRoute(session, target, () => group, onUrl, ended.signal);
  const mockOptions = {
    initial: seed,
    clock: options.speed === undefined ? undefined : { speed: options.speed },
    // A front end in development can call the mock (docs/contract.md#transport).
    cors: 'loopback',
    fetch: app.send,
    onDefect: (error: unknown) => output.insert({ error: describeDefect(error) }, describeDefect(error)),
  } as const;
  await using mock = await configure(() => createMock(mockOptions));
  const endpoint = { ...seed.accounts?.[0]?.endpoint, url: app.url };
  const secret = hasWebhooks ? mock.sandbox.webhooks.setEndpoint(endpoint).secret : '';
  if (!hasWebhooks) mock.sandbox.webhooks.removeEndpoint();
  // A reset of the sandbox returns to this state, so it keeps the key and the secret of the command.
  mock.sandbox.baseline();
  await using server = await startServer(session, mock, options.port);
  output.note(`mock: runs at ${server.baseUrl}, dashboard at ${server.url}/`);
  if (hasWebhooks && target.port !== undefined) output.note(`mock: webhooks go to ${app.url}`);
  const variables = {
    SERVICE_BASE_URL: server.baseUrl,
    SERVICE_API_KEY: mock.account.testKey,
    ...(hasWebhooks && { SERVICE_WEBHOOK_SECRET: secret }),
  };
  const child = await startChild(options.command, { ...env, ...variables }, clock);
  ({ group } = child);
  const located = hasWebhooks ? app.locate(ended.signal) : undefined;
  const exitCode = await child.exitCode;
  // The app has ended: webhooks that wait for it would delay the end.
  ended.abort();
  await located;
  return exitCode;
}

/**
 * Returns the webhook route of an app: of the options and `PORT`, else of the endpoint in the seed, else the default path.
 * Without a port, the app has the lowest port that its processes listen on.
 */
function findTarget(seed: SandboxSeed, { webhooks, appPort }: Options, variable: string | undefined) {
  const given = seed.accounts?.[0]?.endpoint?.url ?? '';
  const endpoint = URL.canParse(given) ? new URL(given) : undefined;
  return {
    path: webhooks || (endpoint ? endpoint.pathname + endpoint.search : DEFAULT_PATH),
    port: appPort ?? readPort(variable) ?? readPort(endpoint?.port),
  };
}

function readPort(text: string | undefined): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text ?? '') && port >= 1 && port <= 65_535 ? port : undefined;
}

/**
 * Creates the route of webhooks to an app whose port becomes known while it runs. Its `url` has no port if that is still
 * unknown. `send` waits until the app listens, and `locate` resolves when its URL is known, or waiting ends.
 *
 * @param group Returns the process group of the app. Undefined before it has started.
 * @param onUrl Called when the URL of the app becomes known, or changes.
 * @param signal Ends all waiting.
 */
function createAppRoute(
  session: Session,
  { path, port: given }: ReturnType<typeof findTarget>,
  group: () => number | undefined,
  onUrl: (url: string) => void,
  signal: AbortSignal,
) {
  const { clock, output, fetch = globalThis.fetch } = session;
  let port = given;
  const toUrl = (): string => new URL(path, `http://localhost:${port ?? ''}`).href;
  const firstUrl = toUrl();
  const locate = async (until: AbortSignal): Promise<void> => {
    const found = await findAppPort(port, given !== undefined, group, clock, until);
    if (found === undefined || found === port) return;
    port = found;
    onUrl(toUrl());
  };
  const send = async (request: Request): Promise<Response> => {
    // A reset of the sandbox restores the first URL.
    const isToApp = request.url === toUrl() || request.url === firstUrl;
    const until = AbortSignal.any([request.signal, signal]);
    if (isToApp) await locate(until);
    if (isToApp) until.throwIfAborted();
    const url = isToApp ? toUrl() : request.url;
    const { method, headers, redirect } = request;
    const body = await request.arrayBuffer();
    const startedAt = clock.now();
    const { event } = parseRecord(new TextDecoder().decode(body)) ?? {};
    /** Prints the attempt: time, event, URL, status and duration. There is no status without a response. */
    const log = (status?: number): void => {
      const at = new Date(clock.now()).toISOString();
      const duration_ms = Math.round(clock.now() - startedAt);
      const hint = status === 404 ? '  (does the app have this route? See --webhooks)' : '';
      const isGood = status !== undefined && status < 300;
      output.insert({ at, event, url, status: status ?? null, duration_ms }, [
        `mock: ${at.slice(11, 19)}  ${String(event)}  ${url}  `,
        { text: String(status ?? 'no response'), style: isGood ? 'good' : 'bad' },
        `  ${duration_ms} ms${hint}`,
      ]);
    };
    try {
      // With the body of a `Request`, a stream, fetch sends chunks, which `http.server` of Python does not read.
      const init = { method, headers, redirect, signal: request.signal, body };
      const response = await fetch(new Request(url, init));
      log(response.status);
      return response;
    } catch (error) {
      if (!signal.aborted) log();
      throw error;
    }
  };
  return { url: firstUrl, send, locate };
}

/** Serves the mock at the port of `service-cli mock`, or at a free one if that is in use. */
async function startServer(session: Session, mock: Mock, port: number | undefined): Promise<MockServer> {
  const { insert } = session.output;
  const serve = (number: number): Promise<MockServer> =>
    serveMock(session, mock, {
      port: number,
      host: '127.0.0.1',
      log: (document, line) => insert(document, ['mock: ', ...line]),
    });
  try {
    return await serve(port ?? 4010);
  } catch (error) {
    const isUsed = error instanceof UsageError && error.code === 'port_in_use';
    if (port === undefined && isUsed) return serve(0);
    throw error;
  }
}
