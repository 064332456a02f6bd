import type { Mode, PaymentStatus } from '@service/webhooks';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { findSecret } from '../signing-secret.ts';
import { toTarget } from './target.ts';
import { type Forgery, forgeries, seal } from './envelope.ts';
import { documentedFields, type EventFields, writeEvent } from './event-body.ts';
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
export async function trigger(
  session: Session,
  status: PaymentStatus,
  options: TriggerOptions,
): Promise<ExitCode> {
  const { environment, output } = session;
  const forgery = findForgery(options);
  const target = toTarget(session, options);
  const { mode, data = {}, times, timeout = 10_000 } = options;
  const { event, id, body } = writeEvent({ status, mode, fields: data });
  const needsSecret = forgery === undefined || forgery === 'tamper';
  const secret = needsSecret ? await findSecret(session, options.secretFile) : '';
  const envelope = seal(body, secret, forgery);
  const strangers = Object.keys(data).filter((name) => !documentedFields.has(name));
  for (const name of strangers)
    output.note(`note: ${name} is no documented field of an event; it is sent all the same.`);
  // What stands in a query may be a secret.
  const url = target.origin + target.pathname;
  if (!output.json) await output.result(undefined, [`${event}  ${id}  to ${url}`]);
  const attempts: Answered[] = [];
  while (attempts.length < times && !environment.signal.aborted) {
    const answered = strike(await post(envelope, { url: target.href, timeout }, environment), secret);
    attempts.push(answered);
    if (!output.json) await output.result(undefined, [toLine(answered)]);
  }
  const code = judge(attempts, times, forgery);
  const ok = code === exitCodes.ok;
  if (output.json) await output.result({ ok, event, id, url, forgery: forgery ?? null, attempts }, []);
  if (!ok) output.note(explain(code, forgery));
  return code;
}

function findForgery({ tamper, wrongSecret, signature }: TriggerOptions): Forgery | undefined {
  return forgeries.find((each) => ({ tamper, wrong_secret: wrongSecret, no_signature: !signature })[each]);
}

/** Strikes the signing secret out of an answer that repeats it. */
function strike(answered: Answered, secret: string): Answered {
  const { answer } = answered;
  return secret === '' || answer === null
    ? answered
    : { ...answered, answer: answer.replaceAll(secret, '…') };
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
