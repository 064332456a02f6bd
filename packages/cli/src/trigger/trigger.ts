import type { Mode } from '@service/webhooks';
import { systemClock } from '../clock.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { requireSecret } from '../signing-secret.ts';
import { toTarget } from './target.ts';
import { type SignedEvent, type Forgery, forgeries, signEvent } from './signed-event.ts';
import { documentedFields, type EventFields, isDocumented, writeEvent } from './event-body.ts';
import { type PostResult, post } from './post.ts';

/** The options of `webhooks trigger`. */
export interface TriggerOptions {
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
export async function trigger(session: Session, status: string, options: TriggerOptions): Promise<ExitCode> {
  const { environment, output } = session;
  const { times, timeout = 10_000 } = options;
  const { signedEvent, summary, href, secret, forgery } = await prepare(session, status, options);
  if (!output.json) await output.result(undefined, [`${summary.event}  ${summary.id}  to ${summary.url}`]);
  const attempts: PostResult[] = [];
  while (attempts.length < times && !environment.signal.aborted) {
    const result = shorten(await post(signedEvent, { url: href, timeout }, environment), secret);
    attempts.push(result);
    if (!output.json) await output.result(undefined, [toLine(result)]);
  }
  const code = toExitCode(attempts, times, forgery);
  const ok = code === exitCodes.ok;
  if (output.json) await output.result({ ok, ...summary, forgery: forgery ?? null, attempts }, []);
  if (!ok) output.note(explain(code, forgery));
  return code;
}

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
  const { clock = systemClock } = session.environment;
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

function toLine({ outcome, status, duration_ms, answer, cause }: PostResult): string {
  const outcomeText = status === null ? 'no response' : `${outcome}, HTTP ${status}`;
  return `  ${outcomeText}  ${duration_ms} ms  ${cause ?? answer ?? ''}`;
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
