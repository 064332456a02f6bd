import { isLoopback, runClock } from '@service/internal';
import type { Command } from 'commander';
import { addSecretFile } from '../config.ts';
import { StopConditionError } from '../errors.ts';
import { checkPrintSecret, type EventSource, readEventSource } from '../listen/event-source.ts';
import { createForward } from '../listen/forward.ts';
import {
  createEventCounter,
  createWebhookHandler,
  type EventCounter,
  type WebhookHandler,
} from '../listen/handler.ts';
import { createExplain, createInspect } from '../listen/inspect.ts';
import { addListenOptions, checkEventNames, checkForward, type ListenOptions } from '../listen/options.ts';
import { startWebhookServer, type WebhookServer } from '../listen/server.ts';
import { LostOutputError, quoteForShell } from '../output.ts';
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

/** Receives webhooks until the stop condition, the timeout or an interrupt. Always restores the endpoint of the sandbox. */
const listen: Handler<readonly [], ListenOptions> = async (session, { options }) => {
  const { note } = session.output;
  checkEventNames(options, note);
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
    forward: url && createForward({ url, fetch, clock }),
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
  if (printSecret)
    output.note('Verify its events with:', `  export SERVICE_WEBHOOK_SECRET=${quoteForShell(secret ?? '')}`);
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
