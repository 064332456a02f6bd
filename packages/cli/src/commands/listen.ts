import { isLoopback, runClock } from '@service/internal';
import { type Mode, PAYMENT_EVENT_NAMES } from '@service/webhooks';
import { choice, defineCommand, flag, value } from '../command.ts';
import { findSecret, modeOfKey, modes, requireSecret } from '../config.ts';
import { StopConditionError, UsageError } from '../errors.ts';
import { checkStdin } from '../input.ts';
import { createWebhookHandler, type WebhookHandler } from '../listen/handler.ts';
import { createForward, startWebhookServer } from '../listen/server.ts';
import { LostOutputError, quoteForShell } from '../output.ts';
import {
  listenOptions,
  parseDuration,
  parsePath,
  parseUrl,
  parseWhole,
  secretFile,
  statusOfEvent,
} from '../parse.ts';
import { readControlUrl, readUsableKey } from '../sandbox/control.ts';
import { setTemporaryEndpoint, type TemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import { type DefineCommand, type ExitCode, exitCodes, type Session, whenAborted } from '../session.ts';
import { toFactLines } from '../table.ts';

const input = {
  secretFile,
  sandbox: flag('receive the events of a running service-cli mock'),
  ...listenOptions(4020),
  path: value('<path>', 'the only path to accept (default: any)', parsePath),
  mode: choice('<mode>', 'reject events of the other mode', modes),
  forward: value(
    '<url>',
    'forward each event to your app, and return its response',
    parseUrl('http://localhost:3000/webhooks'),
    { conflicts: ['answer'] },
  ),
  answer: value('<status>', 'status of the response to events, such as 500', parseWhole(200, 599)),
  events: value('<names>', 'print only these events, with commas', (text) =>
    text.split(',').map((name) => name.trim()),
  ),
  count: value('<count>', 'exit 0 after this number of events', parseWhole(1, Number.MAX_SAFE_INTEGER), {
    conflicts: ['until'],
  }),
  until: value('<event>', 'exit 0 after an event of this name, such as payment.completed'),
  timeout: value('<span>', 'maximum time; exits 3 if --count or --until was not reached', parseDuration),
  explain: flag('print probable causes of a rejected delivery'),
  printSecret: flag('print the signing secret that --sandbox creates'),
};

type Options = import('../command.ts').ValuesOf<typeof input>;

/** Defines `webhooks listen`, which receives, verifies and prints webhooks (docs/contract.md#webhooks). */
export const webhooksListenCommand: DefineCommand = defineCommand({
  input,
  help: `A forged or malformed webhook is printed as REFUSED and gets the response of a receiver.
With --sandbox, your own signing secret becomes the secret of the endpoint.

Example:
  $ service-cli webhooks listen --sandbox     # with a running mock, its key in SERVICE_API_KEY
  $ service-cli pay USD EUR 100.00 --name 'Acme Supplies Ltd'   # in another terminal
  $ service-cli webhooks listen --sandbox --until payment.completed --timeout 60s --json`,
  run: listen,
});

/** Receives webhooks until the stop condition, the timeout or an interrupt. Always restores the endpoint of the sandbox. */
async function listen(session: Session, options: Options): Promise<ExitCode> {
  const { note } = session.output;
  checkEventNames(options, note);
  checkForward(options);
  const source = await readEventSource(session, options);
  const { promise: ready, resolve: setHandler } = Promise.withResolvers<WebhookHandler>();
  const { port, host, path } = options;
  // Started before the endpoint is set: the first deliveries wait for the handler.
  const deliver: WebhookHandler['deliver'] = async (delivery) => (await ready).deliver(delivery);
  const server = await startWebhookServer({ port, host, path, note, deliver });
  let endpoint: TemporaryEndpoint | undefined;
  try {
    const { key, secret } = source;
    if (key !== undefined) endpoint = await setTemporaryEndpoint(session, { key, url: server.url, secret });
    const handler = await openHandler(session, options, {
      secrets: endpoint?.secret ?? secret ?? '',
      mode: source.mode,
    });
    setHandler(handler);
    printStartup(session, options, server.url, endpoint);
    return await waitUntilStopped(handler, session, options);
  } finally {
    await server.close();
    await endpoint?.restore();
  }
}

/**
 * Checks the names of events. Notes undocumented names.
 *
 * @throws {UsageError} when a name has another form, or `--events` leaves out the event of `--until`.
 */
function checkEventNames({ events = [], until }: Options, note: (line: string) => void): void {
  const known: readonly string[] = PAYMENT_EVENT_NAMES;
  const choices = `the documented events are ${known.join(', ')}`;
  for (const name of [...events, ...(until === undefined ? [] : [until])]) {
    if (known.includes(name)) continue;
    if (statusOfEvent(name) === undefined)
      throw new UsageError(`${JSON.stringify(name)} is not an event name; ${choices}.`);
    note(`warning: ${name} is not documented; ${choices}.`);
  }
  if (until !== undefined && events.length > 0 && !events.includes(until))
    throw new UsageError(`--until ${until} must be one of --events.`);
}

/**
 * Checks that the app is not the listener itself, which would forward each event in a loop.
 *
 * @throws {UsageError} when `--forward` is the address of the listener.
 */
function checkForward({ forward, host, port }: Options): void {
  if (forward === undefined || (forward.port || '80') !== String(port)) return;
  const name = forward.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(name) || name === host || name === '0.0.0.0' || name === '::')
    throw new UsageError(`--forward leads back to this listener at port ${port}. Pass the URL of your app.`);
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
async function readEventSource(session: Session, options: Options): Promise<EventSource> {
  const { mode, sandbox, printSecret } = options;
  if (sandbox !== true) {
    const secret = await requireSecret(session, options.secretFile);
    if (printSecret)
      throw new UsageError('--print-secret needs --sandbox, which creates the signing secret.');
    return { secret, mode, key: undefined };
  }
  checkStdin([options.secretFile, session.globals().keyFile]);
  const key = await readUsableKey(session);
  const keyMode = modeOfKey(key);
  if (mode !== undefined && mode !== keyMode)
    throw new UsageError(`--mode ${mode} would reject every event: the API key has mode ${keyMode}.`);
  const secret = await findSecret(session, options.secretFile);
  if (printSecret && secret !== undefined)
    throw new UsageError(
      '--print-secret prints only a new signing secret, and you have set your own. Unset SERVICE_WEBHOOK_SECRET and omit --secret-file.',
    );
  return { secret, mode: keyMode, key };
}

async function openHandler(
  { output, environment }: Session,
  options: Options,
  { secrets, mode }: { readonly secrets: string; readonly mode: Mode | undefined },
): Promise<WebhookHandler> {
  const { clock = runClock, fetch = globalThis.fetch } = environment;
  let seen = 0;
  return createWebhookHandler({
    verifier: { secrets, mode, onWarning: ({ message }) => output.note(`warning: ${message}`) },
    canExplain: options.explain === true,
    forward: options.forward && createForward(options.forward, fetch, clock),
    status: options.answer,
    shown: options.events && new Set(options.events),
    count: ({ event }) => {
      seen += 1;
      return seen === options.count || event === options.until;
    },
    now: clock.now,
    print: ({ document, facts, details }) =>
      output.result(document, [...toFactLines(facts, output.terminal), ...details]),
    note: output.note,
  });
}

/** Prints the start-up messages to stderr, because stdout has only events. */
function printStartup(
  session: Session,
  { host, forward, sandbox, printSecret }: Options,
  url: URL,
  endpoint: TemporaryEndpoint | undefined,
): void {
  const { note } = session.output;
  if (!isLoopback(host)) note(`warning: everyone who can reach ${host} can send requests to this listener.`);
  if (sandbox) note(`The mock at ${readControlUrl(session).origin} sends the events of this account here.`);
  const { previousUrl, secret = '' } = endpoint ?? {};
  if (previousUrl !== undefined)
    note(`The endpoint ${withoutQuery(new URL(previousUrl))} is restored at the end.`);
  if (printSecret)
    note('Verify its events with:', `  export SERVICE_WEBHOOK_SECRET=${quoteForShell(secret)}`);
  if (forward !== undefined) note(`Events are forwarded to ${withoutQuery(forward)}.`);
  note(`Listening on ${url.href}. Press Ctrl+C to stop.`);
}

/** Formats a URL without its query, which can contain secrets. */
function withoutQuery({ protocol, host, pathname }: URL): string {
  return `${protocol}${host && '//'}${host}${pathname}`;
}

async function waitUntilStopped(
  handler: WebhookHandler,
  { environment }: Session,
  { timeout, count, until }: Options,
): Promise<ExitCode> {
  const { signal, clock = runClock } = environment;
  const stop = new AbortController();
  const over = handler.over.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof LostOutputError && error.isHangUp) return 'The output pipe was closed';
      throw error;
    },
  );
  const interrupted = whenAborted(signal).then(() => 'The command was interrupted');
  const late =
    timeout === undefined ? [] : [clock.sleep(timeout, stop.signal).then(() => 'The timeout was reached')];
  const condition = count === undefined ? until && `${until} was received` : `${count} events were received`;
  try {
    const reason = await Promise.race([over, interrupted, ...late]);
    if (reason !== undefined && condition !== undefined)
      throw new StopConditionError(`${reason} before ${condition}.`);
    return exitCodes.ok;
  } finally {
    stop.abort();
    handler.end();
  }
}
