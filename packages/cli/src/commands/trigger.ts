import { isLoopback, runClock } from '@service/internal';
import type { Mode } from '@service/webhooks';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { addSecretFile, modes, requireSecret } from '../config.ts';
import { UsageError } from '../errors.ts';
import { parseDuration, parseHttpUrl, parseWhole, statusOfEvent } from '../parse.ts';
import { type CreateAction, type ExitCode, exitCodes, type Handler, type Session } from '../session.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';
import {
  documentedFields,
  type EventFields,
  forgeries,
  type Forgery,
  isDocumented,
  post,
  type PostResult,
  type SignedEvent,
  signEvent,
  writeEvent,
} from '../trigger/event.ts';

/** Defines `webhooks trigger`, which sends a signed test event to a receiver (docs/contract.md#webhooks). */
export function defineTrigger(command: Command, act: CreateAction): void {
  command
    .addArgument(
      new Argument('<event>', 'name of the event, such as payment.completed').argParser(parseEvent),
    )
    .requiredOption('--to <url>', 'URL of the receiver; plain http only to this machine');
  addSecretFile(command)
    .option('--data <field=value>', 'field of the payment; repeatable', addField)
    .addOption(new Option('--mode <mode>', 'mode of the event').choices(modes).default('test'))
    .option('--live', 'allow an event of live mode to leave this machine')
    .option('--times <count>', 'number of times to send the same bytes', parseWhole(1, 100), 1)
    .option(
      '--timeout <span>',
      'maximum time of each attempt (default: 10s, as in the service)',
      parseDuration,
    )
    .addOption(
      new Option('--tamper', 'change a digit after signing; the receiver must reject it').conflicts(
        'wrongSecret',
      ),
    )
    .addOption(new Option('--wrong-secret', 'sign with another secret; the receiver must reject it'))
    .addOption(
      new Option('--no-signature', 'send no signature; the receiver must reject it').conflicts([
        'tamper',
        'wrongSecret',
      ]),
    )
    .addHelpText('after', helpText)
    .action(act(trigger));
}

const helpText = `
With --tamper, --wrong-secret or --no-signature the event is forged: the command exits 0 if the receiver responds 401.

Example:
  $ service-cli webhooks trigger payment.completed --to http://localhost:3000/webhooks --data send_amount=12.50`;

const statuses: readonly string[] = ['pending', 'processing', 'completed', 'failed'];

/**
 * Returns the status of an event name. Accepts undocumented statuses after `payment.`.
 *
 * @throws {InvalidArgumentError} when the name is not `payment.…` or a documented status.
 */
function parseEvent(text: string): string {
  const status = statusOfEvent(text);
  if (status !== undefined || statuses.includes(text)) return status ?? text;
  throw new InvalidArgumentError(
    `Write ${statuses.map((each) => `payment.${each}`).join(', ')}, or another payment.… to test the fallback.`,
  );
}

const reservedFields: Readonly<Record<string, string>> = {
  amount: 'Use send_amount or receive_amount.',
  status: 'The status follows from the name of the event.',
  mode: 'Use --mode for the mode.',
};

function addField(text: string, before: EventFields = {}): EventFields {
  const [, name, value] = /^([a-z]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('Write a field and its value, such as send_amount=12.50.');
  if (Object.hasOwn(reservedFields, name)) throw new InvalidArgumentError(reservedFields[name] ?? '');
  return { ...before, [name]: value };
}

/** The options of `webhooks trigger`. */
interface TriggerOptions {
  readonly to: string;
  readonly data?: EventFields;
  readonly mode: Mode;
  readonly live?: true;
  readonly times: number;
  readonly timeout?: number;
  readonly secretFile?: string;
  readonly tamper?: true;
  readonly wrongSecret?: true;
  /** False with `--no-signature`. */
  readonly signature: boolean;
}

/**
 * Sends an event to a receiver and prints each response. The exit code is 0 if every response is the expected
 * one.
 *
 * @throws {UsageError} when an option is invalid.
 * @throws {WebhookError} when the secret cannot sign.
 */
const trigger: Handler<readonly [string], TriggerOptions> = async (session, { args: [status], options }) => {
  const { environment, output } = session;
  const { times, timeout = 10_000 } = options;
  const { signedEvent, summary, href, secret, forgery } = await prepare(session, status, options);
  if (!output.json) await output.result(undefined, [`${summary.event}  ${summary.id}  to ${summary.url}`]);
  const attempts: PostResult[] = [];
  while (attempts.length < times && !environment.signal.aborted) {
    const result = shorten(await post(signedEvent, { url: href, timeout }, environment), secret);
    attempts.push(result);
    if (!output.json) await output.result(undefined, [toLine(result, output.terminal)]);
  }
  const code = toExitCode(attempts, times, forgery);
  const ok = code === exitCodes.ok;
  if (output.json) await output.result({ ok, ...summary, forgery: forgery ?? null, attempts }, []);
  if (!ok) output.note(explain(code, forgery));
  return code;
};

interface Prepared {
  readonly signedEvent: SignedEvent;
  /** The printed fields of the event. */
  readonly summary: { readonly event: string; readonly id: string; readonly url: string };
  readonly href: string;
  readonly secret: string;
  readonly forgery: Forgery | undefined;
}

/** Creates the signed event. Reports all invalid options before anything is sent. */
async function prepare(session: Session, status: string, options: TriggerOptions): Promise<Prepared> {
  const { mode, data = {}, secretFile } = options;
  const forgery = findForgery(options);
  const { href, origin, pathname } = toTarget(session, options);
  const { clock = runClock } = session.environment;
  const { event, id, body } = writeEvent({ status, mode, fields: data, now: clock.now() });
  const needsSecret = forgery === undefined || forgery === 'tamper';
  const secret = needsSecret ? await requireSecret(session, secretFile) : '';
  const signedEvent = signEvent(body, secret, forgery);
  if (!isDocumented(status))
    session.output.note(
      `note: ${event} is not a documented event; a receiver passes it to its fallback handler.`,
    );
  for (const name of Object.keys(data).filter((each) => !documentedFields.has(each)))
    session.output.note(`note: ${name} is not a documented field of an event; it is sent anyway.`);
  // The query is not printed: it may contain a secret.
  return { signedEvent, summary: { event, id, url: origin + pathname }, href, secret, forgery };
}

function findForgery({ tamper, wrongSecret, signature }: TriggerOptions): Forgery | undefined {
  return forgeries.find((each) => ({ tamper, wrong_secret: wrongSecret, no_signature: !signature })[each]);
}

const MAX_SHOWN_LENGTH = 300;

/** Truncates a response body, and removes a signing secret that it repeats. */
function shorten(result: PostResult, secret: string): PostResult {
  const { answer } = result;
  if (answer === null) return result;
  const text = secret === '' ? answer : answer.replaceAll(secret, '…');
  const isLong = text.length > MAX_SHOWN_LENGTH;
  return { ...result, answer: isLong ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text };
}

function toLine({ outcome, status, duration_ms, answer, cause }: PostResult, terminal: Terminal): Line {
  const outcomeText = status === null ? 'no response' : `${outcome}, HTTP ${status}`;
  return ['  ', toStatus(outcome, terminal, outcomeText), `  ${duration_ms} ms  ${cause ?? answer ?? ''}`];
}

/**
 * Returns the exit code. Every response must be 200, or 401 for a forged event (docs/contract.md#webhooks).
 */
function toExitCode(attempts: readonly PostResult[], times: number, forgery: Forgery | undefined): ExitCode {
  if (forgery !== undefined && attempts.some(isAccepted)) return exitCodes.refused;
  if (attempts.length < times || attempts.some(({ outcome }) => outcome === 'failed'))
    return exitCodes.unknown;
  const expected = forgery === undefined ? 200 : 401;
  return attempts.every(({ status }) => status === expected) ? exitCodes.ok : exitCodes.refused;
}

function isAccepted({ status }: PostResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

function explain(code: ExitCode, forgery: Forgery | undefined): string {
  if (code === exitCodes.unknown) return 'Not every event got a response; the service would retry it.';
  if (forgery === undefined) return 'The receiver did not acknowledge the event: only status 200 does.';
  return 'The receiver must reject a forged event with 401, but did not.';
}

/** The options for the URL of a receiver. */
interface TargetOptions {
  readonly to: string;
  readonly mode: Mode;
  readonly live?: true;
}

/**
 * Parses and checks the URL of a receiver. On other hosts, plain http needs `--allow-insecure-http` and test
 * mode, and a live mode event needs `--live`: a production receiver would accept it as real.
 *
 * @throws {UsageError} when the URL is not allowed. The message does not contain the URL.
 */
function toTarget({ globals }: Session, { to, mode, live }: TargetOptions): URL {
  const url = parseHttpUrl(to);
  if (url === undefined)
    throw new UsageError('--to must be an absolute http or https URL without a user name or password.');
  if (isLoopback(url.hostname)) return url;
  const isAllowed = mode === 'test' && globals().allowInsecureHttp === true;
  if (url.protocol === 'http:' && !isAllowed) {
    const alternative = mode === 'test' ? ', or pass --allow-insecure-http' : '';
    throw new UsageError(
      `Plain http is allowed only for receivers on this machine. Use https${alternative}.`,
    );
  }
  if (mode === 'live' && live !== true) {
    throw new UsageError(
      'A receiver on another host would process a live mode event as a real payment. Pass --live to send it.',
    );
  }
  return url;
}
