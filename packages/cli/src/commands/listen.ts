import { isLoopback, runClock } from '@service/internal';
import { type Mode, PAYMENT_EVENT_NAMES } from '@service/webhooks';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addSecretFile, findSecret, modeOfKey, modes, requireSecret } from '../config.ts';
import { StopConditionError, UsageError } from '../errors.ts';
import { checkStdin } from '../input.ts';
import { createForward } from '../listen/forward.ts';
import {
  createEventCounter,
  createWebhookHandler,
  type EventCounter,
  type WebhookHandler,
} from '../listen/handler.ts';
import { createExplain, createInspect } from '../listen/inspect.ts';
import { startWebhookServer, type WebhookServer } from '../listen/server.ts';
import { LostOutputError } from '../output.ts';
import { parseDuration, parseHttpUrl, parseWhole, statusOfEvent } from '../parse.ts';
import { readUsableKey } from '../sandbox/account-lookup.ts';
import { readControlUrl } from '../sandbox/control.ts';
import { setTemporaryEndpoint, type TemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import {
  type CreateAction,
  type ExitCode,
  exitCodes,
  type Handler,
  type Session,
  whenAborted,
} from '../session.ts';
import { toFactLines } from '../table.ts';

/** Defines `webhooks listen`, which receives, verifies and prints webhooks (docs/contract.md#webhooks). */
export function defineListen(command: Command, act: CreateAction): void {
  addListenOptions(addSecretFile(command)).addHelpText('after', helpText).action(act(listen));
}

const helpText = `
A forged or malformed webhook is printed as REFUSED and gets the response of a receiver of @service/webhooks.
With --sandbox, your own signing secret becomes the secret of the endpoint, so that the app of --forward can verify too.

Example:
  $ service-cli webhooks listen --sandbox     # with a running \`service-cli mock\` and its key in SERVICE_API_KEY
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd'   # in another terminal; its events are printed
  $ service-cli webhooks listen --sandbox --until payment.completed --timeout 60s --json`;

function addListenOptions(command: Command): Command {
  return command
    .option('--sandbox', 'receive the events of a running service-cli mock, for the account of the API key')
    .option('--port <port>', 'port to listen on; 0 for any free port', parseWhole(0, 65_535), 4020)
    .option('--host <address>', 'address to listen on', parseHost, '127.0.0.1')
    .option('--path <path>', 'the only path to accept (default: any)', parsePath)
    .addOption(new Option('--mode <mode>', 'reject events of the other mode').choices(modes))
    .addOption(
      new Option('--forward <url>', 'forward each event to your app, and return its response')
        .argParser(parseUrl)
        .conflicts('answer'),
    )
    .option(
      '--answer <status>',
      'status of the response to events, such as 500 to test retries',
      parseWhole(200, 599),
    )
    .option(
      '--events <names>',
      'print only these events, with commas: payment.completed,payment.failed',
      splitNames,
    )
    .addOption(
      new Option('--count <count>', 'exit 0 after this number of events')
        .argParser(parseWhole(1, Number.MAX_SAFE_INTEGER))
        .conflicts('until'),
    )
    .option('--until <event>', 'exit 0 after an event of this name, such as payment.completed')
    .option('--timeout <span>', 'maximum time; exits 3 if --count or --until was not reached', parseDuration)
    .option('--explain', 'print probable causes of a rejected delivery')
    .option('--print-secret', 'print the signing secret that --sandbox creates, for the app of --forward');
}

function parseHost(text: string): string {
  // Node listens on all addresses for an empty host, such as an unset variable.
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError(
    'Write an address, such as 127.0.0.1, or 0.0.0.0 for all addresses of this machine.',
  );
}

function parsePath(text: string): string {
  // In the form of a request line, because the two are compared as text.
  if (/^\/[^\s?#]*$/.test(text) && new URL(text, 'http://localhost').pathname === text) return text;
  throw new InvalidArgumentError('Write a URL path, such as /webhooks.');
}

function parseUrl(text: string): URL {
  const url = parseHttpUrl(text);
  if (url !== undefined) return url;
  throw new InvalidArgumentError(
    'Write an http or https URL without user name and password, such as http://localhost:3000/webhooks.',
  );
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** The options of `webhooks listen`. Durations are in milliseconds. */
interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly path?: string;
  readonly secretFile?: string;
  readonly mode?: Mode;
  readonly sandbox?: true;
  readonly forward?: URL;
  readonly answer?: number;
  readonly events?: readonly string[];
  readonly count?: number;
  readonly until?: string;
  readonly timeout?: number;
  readonly explain?: true;
  readonly printSecret?: true;
}

/** Receives webhooks until the stop condition, the timeout or an interrupt. Always restores the endpoint of the sandbox. */
const listen: Handler<readonly [], ListenOptions> = async (session, { options }) => {
  const { note } = session.output;
  checkNames(options, note);
  checkForward(options);
  const source = await readEventSource(session, options);
  checkPrintSecret(options, source);
  const { promise: ready, resolve: setHandler } = Promise.withResolvers<WebhookHandler>();
  const { port, host, path } = options;
  // Started before the endpoint is set: the first deliveries wait for the handler.
  const server = await startWebhookServer({
    port,
    host,
    path,
    note,
    deliver: async (d) => (await ready).deliver(d),
  });
  let endpoint: TemporaryEndpoint | undefined;
  try {
    const { key, secret: ownSecret } = source;
    if (key !== undefined)
      endpoint = await setTemporaryEndpoint(session, { key, url: server.url, secret: ownSecret });
    const counter = createEventCounter(options);
    const secret = endpoint?.secret ?? ownSecret;
    const handler = await openWebhookHandler(session, options, { secret, mode: source.mode, counter });
    setHandler(handler);
    printStartup(session, options, { server, endpoint });
    return await waitUntilStopped(handler, session, { timeout: options.timeout, counter });
  } finally {
    await server.close();
    await endpoint?.restore();
  }
};

function checkNames({ events = [], until }: ListenOptions, note: (line: string) => void): void {
  const known: readonly string[] = PAYMENT_EVENT_NAMES;
  for (const name of [...events, ...(until === undefined ? [] : [until])]) {
    if (known.includes(name)) continue;
    const choice = `the documented events are ${known.join(', ')}`;
    if (statusOfEvent(name) === undefined)
      throw new UsageError(`${JSON.stringify(name)} is not an event name; ${choice}.`);
    note(`warning: ${name} is not documented; ${choice}.`);
  }
  if (until !== undefined && events.length > 0 && !events.includes(until))
    throw new UsageError(`--until ${until} must be one of --events.`);
}

/**
 * Checks that the app is not the listener itself, which would forward each event in a loop.
 *
 * @throws {UsageError} when `--forward` is the address of the listener.
 */
function checkForward({ forward, host, port }: ListenOptions): void {
  if (forward === undefined || (forward.port || '80') !== String(port)) return;
  const name = forward.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(name) || name === host || name === '0.0.0.0' || name === '::')
    throw new UsageError(`--forward leads back to this listener at port ${port}. Pass the URL of your app.`);
}

/**
 * Checks that the secret to print is a new one: a secret of the user is not printed.
 *
 * @throws {UsageError} when it is not.
 */
function checkPrintSecret({ printSecret, sandbox }: ListenOptions, { secret }: EventSource): void {
  if (!printSecret) return;
  if (!sandbox) throw new UsageError('--print-secret needs --sandbox, which creates the signing secret.');
  if (secret === undefined) return;
  throw new UsageError(
    '--print-secret prints only a new signing secret, and you have set your own. Unset SERVICE_WEBHOOK_SECRET and omit --secret-file.',
  );
}

interface VerificationOptions {
  readonly secret: string | undefined;
  readonly mode: EventSource['mode'];
  readonly counter: EventCounter;
}

async function openWebhookHandler(
  { output, environment }: Session,
  options: ListenOptions,
  { secret = '', mode, counter }: VerificationOptions,
): Promise<WebhookHandler> {
  const { clock = runClock, fetch = globalThis.fetch } = environment;
  const { forward: url } = options;
  const verifierOptions = {
    secrets: secret,
    mode,
    onWarning: ({ message }: { message: string }) => output.note(`warning: ${message}`),
  };
  return createWebhookHandler({
    inspect: createInspect(verifierOptions),
    explain: options.explain && (await createExplain(verifierOptions)),
    forward: url && createForward({ url, fetch: (request) => fetch(request), clock }),
    status: options.answer,
    shown: options.events && new Set(options.events),
    counter,
    now: clock.now,
    print: ({ document, facts, details }) =>
      output.result(document, [...toFactLines(facts, output.terminal), ...details]),
    note: output.note,
  });
}

/** Prints the start-up messages to stderr, because stdout has only events. */
function printStartup(
  session: Session,
  { host, forward, sandbox, printSecret }: ListenOptions,
  { server, endpoint }: { server: WebhookServer; endpoint: TemporaryEndpoint | undefined },
): void {
  const { output } = session;
  if (!isLoopback(host))
    output.note(`warning: everyone who can reach ${host} can send requests to this listener.`);
  if (sandbox)
    output.note(`The mock at ${readControlUrl(session).origin} sends the events of this account here.`);
  const { previousUrl, secret } = endpoint ?? {};
  if (previousUrl !== undefined)
    output.note(`The endpoint ${withoutQuery(new URL(previousUrl))} is restored at the end.`);
  if (printSecret) output.note('Verify its events with:', `  export SERVICE_WEBHOOK_SECRET=${secret}`);
  if (forward !== undefined) output.note(`Events are forwarded to ${withoutQuery(forward)}.`);
  output.note(`Listening on ${server.url.href}. Press Ctrl+C to stop.`);
}

/** Formats a URL without its query, which can contain secrets. */
function withoutQuery({ protocol, host, pathname }: URL): string {
  return `${protocol}${host && '//'}${host}${pathname}`;
}

/** Converts a closed pipe to a reason to stop. Throws any other error. */
function explainLostOutput(error: unknown): string {
  if (error instanceof LostOutputError && error.isHangUp) return 'The output pipe was closed';
  throw error;
}

async function waitUntilStopped(
  handler: WebhookHandler,
  { environment }: Session,
  { timeout, counter }: { timeout: number | undefined; counter: EventCounter },
): Promise<ExitCode> {
  const { signal, clock = runClock } = environment;
  const stop = new AbortController();
  const endReasons = [
    handler.over.then(() => undefined, explainLostOutput),
    whenAborted(signal).then(() => 'The command was interrupted'),
    ...(timeout === undefined
      ? []
      : [clock.sleep(timeout, stop.signal).then(() => 'The timeout was reached')]),
  ];
  try {
    const reason = await Promise.race(endReasons);
    if (reason !== undefined && counter.condition !== undefined)
      throw new StopConditionError(`${reason} before ${counter.condition}.`);
    return exitCodes.ok;
  } finally {
    stop.abort();
    handler.end();
  }
}

/** The signing secret and mode of the events, and with `--sandbox` the API key of their account. */
interface EventSource {
  readonly secret: string | undefined;
  readonly mode: Mode | undefined;
  readonly key: string | undefined;
}

/**
 * Reads the event source from the options and the environment.
 *
 * @throws {UsageError} when the secret or the key is missing or does not fit the options.
 */
async function readEventSource(session: Session, options: ListenOptions): Promise<EventSource> {
  const { secretFile, mode } = options;
  if (options.sandbox !== true)
    return { secret: await requireSecret(session, secretFile), mode, key: undefined };
  checkStdin([secretFile, session.globals().keyFile]);
  const key = await readUsableKey(session);
  const keyMode = modeOfKey(key);
  if (mode !== undefined && mode !== keyMode)
    throw new UsageError(`--mode ${mode} would reject every event: the API key has mode ${keyMode}.`);
  return { secret: await findSecret(session, secretFile), mode: keyMode, key };
}
