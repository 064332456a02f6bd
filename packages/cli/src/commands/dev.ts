import { parseRecord, runClock, toRecord } from '@service/internal';
import { createMock, type Mock } from '@service/mock';
import { listen, type MockServer, type ServedRequest } from '@service/mock/node';
import { type Command, InvalidArgumentError } from 'commander';
import { type AppWebhooks, createAppWebhooks, type WebhookAttempt } from '../dev/app-webhooks.ts';
import { startChild } from '../dev/child.ts';
import { UsageError } from '../errors.ts';
import { createAddressError } from '../listening.ts';
import { parsePositive, parseWhole } from '../parse.ts';
import type { CreateAction, Handler, Session } from '../session.ts';

/** Defines `dev`, which runs a command with a mock until the command ends. */
export function defineDev(command: Command, act: CreateAction): void {
  command
    .argument('[command...]', 'the command and its arguments, after --')
    .option('--webhooks <path>', "path of the app's webhook route", parsePath, '/api/webhooks')
    .option(
      '--app-port <port>',
      'port of the app (default: PORT, else its lowest port)',
      parseWhole(1, 65_535),
    )
    .option('--port <port>', 'port of the mock (default: 4010, or a free one)', parseWhole(0, 65_535))
    .option('--speed <factor>', 'speed of the clock: with 60, a minute takes a second', parsePositive)
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
  readonly webhooks: string;
  readonly appPort?: number;
  readonly port?: number;
  readonly speed?: number;
}

const runDev: Handler<readonly [string[]], Options> = async (session, { args: [command], options }) => {
  checkCommand(command, session);
  const { env, clock = runClock } = session.environment;
  const port = options.appPort ?? readPort(env.PORT);
  const ended = new AbortController();
  let group: number | undefined;
  const app = createAppWebhooks({
    path: options.webhooks,
    port,
    group: () => group,
    fetch: session.environment.fetch ?? fetch,
    clock,
    onUrl: (url) => setUrl(url),
    onAttempt: (attempt) => note(session, formatAttempt(attempt)),
    signal: ended.signal,
  });
  await using mock = openMock(app, options, session);
  const { secret } = mock.sandbox.webhooks.setEndpoint({ url: app.url });
  const setUrl = (url: string): void => {
    mock.sandbox.webhooks.setEndpoint({ url, secret });
    note(session, `webhooks go to ${url}`);
  };
  // A reset of the sandbox returns to this state, so it keeps the key and the secret of the command.
  mock.sandbox.baseline();
  await using server = await startServer(mock, options, session);
  note(session, `runs at ${server.baseUrl}`, ...(port === undefined ? [] : [`webhooks go to ${app.url}`]));
  const variables = {
    SERVICE_BASE_URL: server.baseUrl,
    SERVICE_API_KEY: mock.account.testKey,
    SERVICE_WEBHOOK_SECRET: secret,
  };
  const child = await startChild({ command, env: { ...env, ...variables }, clock });
  ({ group } = child);
  const located = app.locate();
  const exitCode = await child.exitCode;
  // The app is gone: webhooks that wait for it would delay the end.
  ended.abort();
  await located;
  return exitCode;
};

/** @throws {UsageError} when there is no command after `--`, or the system has no process groups. */
function checkCommand(command: readonly string[], { environment }: Session): void {
  if (command.length === 0 || !environment.argv.includes('--')) {
    const given = command.length === 0 ? 'npm run dev' : command.join(' ');
    throw new UsageError(
      `The command to run is missing. Write it after --, such as \`service-cli dev -- ${given}\`.`,
    );
  }
  if (process.platform === 'win32')
    throw new UsageError('`service-cli dev` needs Linux or macOS. On Windows, run it in WSL.');
}

function openMock({ send }: AppWebhooks, { speed }: Options, { output }: Session): Mock {
  return createMock({
    clock: speed === undefined ? 'real' : { speed },
    // A front end in development can call the mock (docs/contract.md#transport).
    cors: 'loopback',
    fetch: send,
    onDefect: (error) =>
      output.note(`internal error: ${error instanceof Error ? error.message : String(error)}`),
  });
}

/** The port of `service-cli mock`. */
const DEFAULT_PORT = 4010;

/** Serves the mock at its default port, or at a free one if the default is in use. */
async function startServer(mock: Mock, { port }: Options, session: Session): Promise<MockServer> {
  const token = session.environment.env.SERVICE_SANDBOX_TOKEN;
  const onResponse = (served: ServedRequest): void => note(session, formatRequest(served));
  const control = { ...(token !== undefined && { token }) };
  const start = (number: number): Promise<MockServer> => listen(mock, { port: number, control, onResponse });
  try {
    return await start(port ?? DEFAULT_PORT);
  } catch (error) {
    if (port === undefined && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return start(0);
    throw createAddressError({ host: '127.0.0.1', port: port ?? DEFAULT_PORT }, error);
  }
}

/** Prints lines about the mock, which stand among those of the command. */
function note({ output }: Session, ...lines: readonly string[]): void {
  output.note(...lines.map((line) => `mock: ${line}`));
}

/** Formats a request as its method, path, status and time, and the new id or the error of its response. */
function formatRequest({ method, path, status, body, duration }: ServedRequest): string {
  const { data, error } = parseRecord(body ?? '') ?? {};
  const { message = method === 'POST' ? toRecord(data).id : '' } = toRecord(error);
  const detail = typeof message === 'string' ? message : '';
  return `${method} ${path} ${status ?? 'connection lost'} ${Math.round(duration)} ms ${detail}`;
}

/** Formats an attempt as its event, URL, status and time. */
function formatAttempt({ url, body, status, duration }: WebhookAttempt): string {
  const { event } = parseRecord(body) ?? {};
  const hint = status === 404 ? ' (does the app have this route? See --webhooks)' : '';
  return `${String(event)} ${url} ${status ?? 'no response'} ${Math.round(duration)} ms${hint}`;
}

function readPort(text: string | undefined): number | undefined {
  const port = Number(text);
  return /^\d+$/.test(text ?? '') && port >= 1 && port <= 65_535 ? port : undefined;
}

function parsePath(text: string): string {
  if (/^\/[^\s?#]*$/.test(text)) return text;
  throw new InvalidArgumentError('Write a URL path, such as /api/webhooks.');
}
