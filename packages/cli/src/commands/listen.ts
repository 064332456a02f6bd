import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, isLoopback, listenAt } from '@service/internal';
import {
  createReceiver,
  type Receiver,
  SIGNATURE_HEADER,
  type VerifierOptions,
  type WebhookError,
  type WebhookEvent,
  type WebhookResponse,
} from '@service/webhooks';
import { toNode } from '@service/webhooks/node';
import { choice, defineCommand, flag, value, type ValuesOf } from '../command.ts';
import { findSecret, modeOfKey, requireSecret } from '../config.ts';
import { CliError, createAddressError } from '../errors.ts';
import { checkStdin } from '../input.ts';
import { LostOutputError, type Output } from '../output.ts';
import { eventNames, listenOptions, parseDuration, secretFile } from '../parse.ts';
import { readControlUrl, readUsableKey } from '../sandbox/control.ts';
import { setTemporaryEndpoint, type TemporaryEndpoint } from '../sandbox/temporary-endpoint.ts';
import { type DefineCommand, type Session, whenAborted } from '../session.ts';
import { formatMoney, type Part } from '../terminal.ts';
import { findCauses } from './signatures.ts';

const input = {
  secretFile,
  sandbox: flag('receive the events of a running service-cli mock'),
  ...listenOptions(4020),
  until: choice('<event>', 'exit 0 after an event of this name', eventNames),
  timeout: value('<span>', 'maximum time; exits 3 if --until was not reached', parseDuration),
};

type Options = ValuesOf<typeof input>;

/** The content type of responses of this command. */
const TEXT = 'text/plain; charset=utf-8';

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
async function listen(session: Session, options: Options): Promise<void> {
  const { key, secret = '', mode } = await readEventSource(session, options);
  const { promise: ready, resolve: setHandler } = Promise.withResolvers<Handler>();
  const { port, host } = options;
  const { note } = session.output;
  // Started before the endpoint is set: the first deliveries wait for the handler.
  const deliver: Receiver['deliver'] = async (delivery) => (await ready).deliver(delivery);
  const handle = toNode({ deliver } as Receiver);
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000 };
  const server = createServer(limits, (incoming, outgoing) => void handle(incoming, outgoing));
  // An open connection would delay the end.
  server.maxRequestsPerSocket = 1;
  const address = await listenAt(server, port, host).catch((error: unknown) => {
    throw createAddressError({ host, port }, error);
  });
  const stop = new AbortController();
  let endpoint: TemporaryEndpoint | undefined;
  try {
    const url = new URL('/webhooks', address);
    if (key !== undefined) endpoint = await setTemporaryEndpoint(session, key, url, secret || undefined);
    const verifier = { secrets: endpoint?.secret ?? secret, mode };
    const handler = await createHandler(session, options, verifier, stop.signal);
    setHandler(handler);
    // On stderr, because stdout has only events.
    if (!isLoopback(host))
      note(`warning: everyone who can reach ${host} can send requests to this listener.`);
    if (endpoint)
      note(`The mock at ${readControlUrl(session).origin} sends the events of this account here.`);
    note(`Listening on ${url.href}. Press Ctrl+C to stop.`);
    await waitUntilStopped(handler.over, session, options);
  } finally {
    stop.abort();
    await closeServer(server);
    await endpoint?.restore();
  }
}

/**
 * Reads the signing secret and mode of the events, and with `--sandbox` the API key of their account.
 *
 * @throws {UsageError} when the secret or the key is missing.
 */
async function readEventSource(session: Session, { sandbox, secretFile: file }: Options) {
  if (sandbox !== true)
    return { secret: await requireSecret(session, file), mode: undefined, key: undefined };
  checkStdin([file, session.globals().keyFile]);
  const key = await readUsableKey(session);
  return { secret: await findSecret(session, file), mode: modeOfKey(key), key };
}

type Handler = Awaited<ReturnType<typeof createHandler>>;

/** A delivery with its verified event or its error. It has neither if the method is not POST. */
interface Delivery {
  /** The raw body. Undefined if it was not read completely. */
  body?: Uint8Array;
  event?: WebhookEvent;
  error?: WebhookError;
}

const STOPPED: WebhookResponse = { status: 503, headers: { 'content-type': TEXT }, body: 'not listening' };

/**
 * Creates the handler of deliveries. `over` resolves when the stop condition is met, and rejects when the output is lost.
 *
 * @param stop Makes the handler respond 503.
 * @throws {WebhookError} when the secret cannot be used.
 */
async function createHandler(
  { output, clock }: Session,
  options: Options,
  given: { readonly secrets: string; readonly mode: VerifierOptions['mode'] },
  stop: AbortSignal,
) {
  const { note } = output;
  // Validates the secret before the first delivery.
  const onWarning = ({ message }: { readonly message: string }): void => output.note(`warning: ${message}`);
  createReceiver({ ...given, onWarning, on: {}, fallback: () => {} });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  let isOver = false;
  const deliver: Receiver['deliver'] = async ({ method, headers, read }) => {
    const received_at = new Date(clock.now()).toISOString();
    const delivery: Delivery = {};
    // A new receiver has an empty deduplication store.
    const receive = createReceiver({
      ...given,
      onWarning: () => {},
      on: {},
      fallback: (event) => void Object.assign(delivery, { event }),
      onError: (error) => void Object.assign(delivery, { error }),
    });
    const readAndKeep: typeof read = async (...limits) => {
      // The adapter of node:http returns bytes.
      delivery.body = (await read(...limits)) as Uint8Array;
      return delivery.body;
    };
    const response = await receive.deliver({ method, headers, read: readAndKeep });
    const { event, error, body } = delivery;
    if (isOver || stop.aborted) return STOPPED;
    // Before the next await, so that no concurrent delivery is printed after the last event.
    isOver = event !== undefined && event.event === options.until;
    const facts = { received_at, answered: response.status };
    const secret = given.secrets;
    try {
      if (event) await output.result(...formatEvent(event, facts, Buffer.from(body ?? '').toString('utf8')));
      else if (error) {
        const signature = (headers as IncomingHttpHeaders)[SIGNATURE_HEADER] as string | undefined;
        const hints = body ? await findCauses({ error, body, signature, secret }) : [];
        await output.result(...formatRefusal(error, facts, hints));
      } else note(`${received_at}  ${response.status} for ${method}: webhooks use POST.`);
    } catch (failure) {
      isOver = true;
      reject(failure);
      return STOPPED;
    }
    if (isOver) resolve();
    return response;
  };
  return { deliver, over };
}

/** The time of a delivery in ISO 8601, and the status of the response. */
interface Facts {
  readonly received_at: string;
  readonly answered: number;
}

type Entry = Parameters<Output['result']>;

/** Formats a verified event. `body` is the signed text, which has the amounts exactly as they were sent. */
function formatEvent(event: WebhookEvent, facts: Facts, body: string): Entry {
  const { event: name, created_at, data } = event;
  let summary = body.length > 200 ? `${body.slice(0, 200)}…` : body;
  if (event.kind === 'payment') {
    const { id, send_amount, from_currency, receive_amount, to_currency } = event.data;
    summary = `${id}  ${formatMoney(send_amount, from_currency)} to ${formatMoney(receive_amount, to_currency)}`;
  }
  const line = [facts.received_at, String(facts.answered), name.padEnd(18), summary].join('  ');
  return [{ result: 'event', event: name, ...facts, created_at, data, body }, [line]];
}

function formatRefusal(
  { code, message }: WebhookError,
  { received_at, answered }: Facts,
  hints: readonly { readonly message: string }[],
): Entry {
  const refused: Part = { text: 'REFUSED', style: 'bad' };
  return [
    { result: 'refused', event: null, code, message, received_at, answered, hints },
    [
      [`${received_at}  ${answered}  `, refused, `  ${message} (${code})`],
      ...hints.map((hint) => `  probable cause: ${hint.message}`),
    ],
  ];
}

async function waitUntilStopped(
  handlerOver: Promise<void>,
  { signal, clock }: Session,
  { timeout, until }: Options,
): Promise<void> {
  const stop = new AbortController();
  const over = handlerOver.catch((error: unknown) => {
    if (error instanceof LostOutputError && error.isHangUp) return 'The output pipe was closed';
    throw error;
  });
  const interrupted = whenAborted(signal).then(() => 'The command was interrupted');
  const late =
    timeout === undefined ? [] : [clock.sleep(timeout, stop.signal).then(() => 'The timeout was reached')];
  try {
    const reason = await Promise.race([over, interrupted, ...late]);
    if (typeof reason === 'string' && until !== undefined)
      throw new CliError('StopConditionError', `${reason} before ${until} arrived.`, {
        code: 'not_reached',
      });
  } finally {
    stop.abort();
  }
}
