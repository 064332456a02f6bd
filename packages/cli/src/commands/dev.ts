import { parseRecord, runClock } from '@service/internal';
import { createMock, type Mock, type SandboxSeed } from '@service/mock';
import { listen, type MockServer, type ServedRequest } from '@service/mock/node';
import type { Command } from 'commander';
import { type AppWebhooks, createAppWebhooks, type WebhookAttempt } from '../dev/app-webhooks.ts';
import { startChild } from '../dev/child.ts';
import { describeDefect, toCliMessage, UsageError } from '../errors.ts';
import { quoteForShell } from '../output.ts';
import { parsePath, parsePositive, parseWhole } from '../parse.ts';
import { toRequestEntry } from '../request-line.ts';
import { createPortError } from '../sandbox/control.ts';
import { findSeed } from '../seed-file.ts';
import type { CreateAction, Handler, Session } from '../session.ts';

/** The path of the webhook route. */
const DEFAULT_PATH = '/api/webhooks';

/** Defines `dev`, which runs a command with a mock until the command ends. */
export function defineDev(command: Command, act: CreateAction): void {
  command
    .argument('[command...]', 'the command and its arguments, after --')
    .option('--webhooks <path>', `path of the app's webhook route (default: ${DEFAULT_PATH})`, parsePath)
    .option('--no-webhooks', 'send no webhooks')
    .option(
      '--app-port <port>',
      'port of the app (default: PORT, else its lowest port)',
      parseWhole(1, 65_535),
    )
    .option('--port <port>', 'port of the mock (default: 4010, or a free one)', parseWhole(0, 65_535))
    .option('--speed <factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive)
    .option('--seed-file <file>', 'initial state (default: service.sandbox.yaml, if there is one)')
    .addHelpText('after', helpText)
    .action(act(runDev));
}

const helpText = `
The command gets SERVICE_BASE_URL, SERVICE_API_KEY and SERVICE_WEBHOOK_SECRET, and keeps the terminal. Each request and
each webhook is one line on stderr. The exit code is that of the command.

Example:
  $ service-cli dev -- npm run dev
  $ service-cli dev --webhooks /webhooks --speed 10 -- npm test`;

interface Options {
  /** False with `--no-webhooks`. */
  readonly webhooks?: string | false;
  readonly appPort?: number;
  readonly port?: number;
  readonly speed?: number;
  readonly seedFile?: string;
}

const runDev: Handler<readonly [string[]], Options> = async (session, { args: [command], options }) => {
  checkCommand(command, session);
  const { env, clock = runClock } = session.environment;
  const seed = readSeed(session, options.seedFile);
  const target = findTarget(seed, options, env.PORT);
  const ended = new AbortController();
  let group: number | undefined;
  const app = createAppWebhooks({
    ...target,
    group: () => group,
    fetch: session.environment.fetch ?? fetch,
    clock,
    onUrl: (url) => setUrl(url),
    onAttempt: (attempt) => logAttempt(session, attempt),
    signal: ended.signal,
  });
  await using mock = openMock(app, { ...options, seed }, session);
  const hasWebhooks = options.webhooks !== false;
  const secret = hasWebhooks
    ? setEndpoint(mock, app.url, seed.accounts?.[0]?.endpoint?.secret)
    : removeEndpoint(mock);
  const setUrl = (url: string): void => {
    setEndpoint(mock, url, secret);
    session.output.note(`mock: webhooks go to ${url}`);
  };
  // A reset of the sandbox returns to this state, so it keeps the key and the secret of the command.
  mock.sandbox.baseline();
  await using server = await startServer(mock, options, session);
  session.output.note(`mock: runs at ${server.baseUrl}, dashboard at ${server.url}/`);
  if (hasWebhooks && target.port !== undefined) session.output.note(`mock: webhooks go to ${app.url}`);
  const variables = toVariables(mock, server, secret);
  const child = await startChild({ command, env: { ...env, ...variables }, clock });
  ({ group } = child);
  const located = hasWebhooks ? app.locate() : undefined;
  const exitCode = await child.exitCode;
  // The app is gone: webhooks that wait for it would delay the end.
  ended.abort();
  await located;
  return exitCode;
};

/**
 * Reads the seed file, if there is one.
 *
 * @throws {UsageError} when it cannot be read
 */
function readSeed(session: Session, path: string | undefined): SandboxSeed {
  const file = configure(() => findSeed(session, path, {}));
  if (file.path !== undefined) session.output.note(`mock: starts with ${file.path}`);
  return configure(file.read);
}

/** The webhook route of an app. */
interface Target {
  readonly path: string;
  /** Undefined if it is not yet known. */
  readonly port: number | undefined;
}

/** Returns the webhook route: of the options and `PORT`, else of the endpoint in the seed, else the default path. */
function findTarget(seed: SandboxSeed, { webhooks, appPort }: Options, variable: string | undefined): Target {
  const given = seed.accounts?.[0]?.endpoint?.url ?? '';
  const endpoint = URL.canParse(given) ? new URL(given) : undefined;
  return {
    path: webhooks || (endpoint?.pathname ?? DEFAULT_PATH),
    port: appPort ?? readPort(variable) ?? readPort(endpoint?.port),
  };
}

/** Returns the environment variables of the command. */
function toVariables(
  { account }: Mock,
  { baseUrl }: MockServer,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  return {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_API_KEY: account.testKey,
    ...(secret !== undefined && { SERVICE_WEBHOOK_SECRET: secret }),
  };
}

/** Sets the endpoint, and returns its signing secret: the given one, or a new one. */
function setEndpoint({ sandbox }: Mock, url: string, secret: string | undefined): string {
  return sandbox.webhooks.setEndpoint({ url, ...(secret !== undefined && { secret }) }).secret;
}

/** Removes the endpoint of the seed. */
function removeEndpoint({ sandbox }: Mock): undefined {
  sandbox.webhooks.removeEndpoint();
}

/** @throws {UsageError} when there is no command after `--`, or the system has no process groups. */
function checkCommand(command: readonly string[], { environment }: Session): void {
  if (command.length === 0 || !environment.argv.includes('--')) {
    const given = command.length === 0 ? 'npm run dev' : command.map(quoteForShell).join(' ');
    throw new UsageError(
      `The command to run is missing. Write it after --, such as \`service-cli dev -- ${given}\`.`,
    );
  }
  if (process.platform === 'win32')
    throw new UsageError('`service-cli dev` needs Linux or macOS. On Windows, run it in WSL.');
}

function openMock(
  { send }: AppWebhooks,
  { speed, seed }: Pick<Options, 'speed'> & { readonly seed: SandboxSeed },
  { output }: Session,
): Mock {
  const create = (): Mock =>
    createMock({
      initial: seed,
      ...(speed !== undefined && { clock: { speed } }),
      // A front end in development can call the mock (docs/contract.md#transport).
      cors: 'loopback',
      fetch: send,
      onDefect: (error) => output.note(describeDefect(error)),
    });
  return configure(create);
}

/**
 * Runs a step that reads or applies the seed file.
 *
 * @throws {UsageError} when the file is invalid
 */
function configure<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof Error && error.name === 'SandboxError')
      throw new UsageError(toCliMessage(error.message));
    throw error;
  }
}

/** The port of `service-cli mock`. */
const DEFAULT_PORT = 4010;

/** Serves the mock at its default port, or at a free one if the default is in use. */
async function startServer(mock: Mock, { port }: Options, session: Session): Promise<MockServer> {
  const { env, clock = runClock } = session.environment;
  const token = env.SERVICE_SANDBOX_TOKEN;
  const onResponse = (served: ServedRequest): void => {
    const { document, line } = toRequestEntry(served, clock.now());
    session.output.log(document, ['mock: ', ...line]);
  };
  const control = { ...(token !== undefined && { token }) };
  const start = (number: number): Promise<MockServer> => listen(mock, { port: number, control, onResponse });
  try {
    return await start(port ?? DEFAULT_PORT);
  } catch (error) {
    if (port === undefined && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return start(0);
    throw await createPortError(session, { host: '127.0.0.1', port: port ?? DEFAULT_PORT }, error);
  }
}

/** Prints an attempt: time, event, URL, status and duration. */
function logAttempt({ environment, output }: Session, { url, body, status, duration }: WebhookAttempt): void {
  const { event } = parseRecord(body) ?? {};
  const at = new Date((environment.clock ?? runClock).now()).toISOString();
  const duration_ms = Math.round(duration);
  const hint = status === 404 ? '  (does the app have this route? See --webhooks)' : '';
  const isGood = status !== undefined && status < 300;
  output.log({ at, event, url, status: status ?? null, duration_ms }, [
    `mock: ${at.slice(11, 19)}  ${String(event)}  ${url}  `,
    { text: String(status ?? 'no response'), style: isGood ? 'good' : 'bad' },
    `  ${duration_ms} ms${hint}`,
  ]);
}

function readPort(text: string | undefined): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text ?? '') && port >= 1 && port <= 65_535 ? port : undefined;
}
