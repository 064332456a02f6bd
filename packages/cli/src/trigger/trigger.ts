import type { Mode } from '@service/webhooks';
import { systemClock } from '../clock.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { needSecret } from '../signing-secret.ts';
import { toTarget } from './target.ts';
import { type Envelope, type Forgery, forgeries, seal } from './envelope.ts';
import { documentedFields, type EventFields, isDocumented, writeEvent } from './event-body.ts';
import { type Answered, post } from './post.ts';

/** Holds the options of `webhooks trigger`. */
export type TriggerOptions = {
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
};

/** Sends an event of a status to a receiver, shows each answer, and returns whether it answered as it must. Throws UsageError, WebhookError. */
export async function trigger(session: Session, status: string, options: TriggerOptions): Promise<ExitCode> {
  const { environment, output } = session;
  const { times, timeout = 10_000 } = options;
  const { envelope, shown, href, secret, forgery } = await prepare(session, status, options);
  if (!output.json) await output.result(undefined, [`${shown.event}  ${shown.id}  to ${shown.url}`]);
  const attempts: Answered[] = [];
  while (attempts.length < times && !environment.signal.aborted) {
    const answered = shorten(await post(envelope, { url: href, timeout }, environment), secret);
    attempts.push(answered);
    if (!output.json) await output.result(undefined, [toLine(answered)]);
  }
  const code = judge(attempts, times, forgery);
  const ok = code === exitCodes.ok;
  if (output.json) await output.result({ ok, ...shown, forgery: forgery ?? null, attempts }, []);
  if (!ok) output.note(explain(code, forgery));
  return code;
}

type Prepared = {
  readonly envelope: Envelope;
  /** What is told of the event. */
  readonly shown: { readonly event: string; readonly id: string; readonly url: string };
  readonly href: string;
  readonly secret: string;
  readonly forgery: Forgery | undefined;
};

/** Makes all that is sent; whatever is wrong with it shows here. */
async function prepare(session: Session, status: string, options: TriggerOptions): Promise<Prepared> {
  const { mode, data = {}, secretFile } = options;
  const forgery = findForgery(options);
  const { href, origin, pathname } = toTarget(session, options);
  const { clock = systemClock } = session.environment;
  const { event, id, body } = writeEvent({ status, mode, fields: data, now: clock.now() });
  const needsSecret = forgery === undefined || forgery === 'tamper';
  const secret = needsSecret ? await needSecret(session, secretFile) : '';
  const envelope = seal(body, secret, forgery);
  if (!isDocumented(status))
    session.output.note(`note: ${event} is no documented event; a receiver hands it to its fallback.`);
  for (const name of Object.keys(data).filter((each) => !documentedFields.has(each)))
    session.output.note(`note: ${name} is no documented field of an event; it is sent all the same.`);
  // What stands in a query may be a secret.
  return { envelope, shown: { event, id, url: origin + pathname }, href, secret, forgery };
}

function findForgery({ tamper, wrongSecret, signature }: TriggerOptions): Forgery | undefined {
  return forgeries.find((each) => ({ tamper, wrong_secret: wrongSecret, no_signature: !signature })[each]);
}

const MOST_CHARACTERS = 300;

/** Shortens an answer to what is shown of it, and strikes the signing secret out of one that repeats it. */
function shorten(answered: Answered, secret: string): Answered {
  const { answer } = answered;
  if (answer === null) return answered;
  const text = secret === '' ? answer : answer.replaceAll(secret, '…');
  const isLong = text.length > MOST_CHARACTERS;
  return { ...answered, answer: isLong ? `${text.slice(0, MOST_CHARACTERS)}…` : text };
}

function toLine({ outcome, status, duration_ms, answer, cause }: Answered): string {
  const how = status === null ? 'no answer' : `${outcome}, HTTP ${status}`;
  return `  ${how}  ${duration_ms} ms  ${cause ?? answer ?? ''}`;
}

/** Judges the answers: of a genuine event each must be 200, of a forged one 401 (spec §6). */
function judge(attempts: readonly Answered[], times: number, forgery: Forgery | undefined): ExitCode {
  if (forgery !== undefined && attempts.some(isAccepted)) return exitCodes.refused;
  if (attempts.length < times || attempts.some(({ outcome }) => outcome === 'failed'))
    return exitCodes.unknown;
  const wanted = forgery === undefined ? 200 : 401;
  return attempts.every(({ status }) => status === wanted) ? exitCodes.ok : exitCodes.refused;
}

function isAccepted({ status }: Answered): boolean {
  return status !== null && status >= 200 && status < 300;
}

function explain(code: ExitCode, forgery: Forgery | undefined): string {
  if (code === exitCodes.unknown) return 'Not every event was answered; the service would send it again.';
  if (forgery === undefined) return 'The receiver did not acknowledge it: only 200 does.';
  return 'The receiver must refuse a forged event with 401, and did not.';
}
