import { type AnswerFault, commitsFirst, type Fault } from '../domain/fault.ts';
import type { Clock } from '../world/clock.ts';
import type { RequestRecord } from '../world/request-record.ts';
import { drainBody } from './body.ts';
import { type Answer, type Call, CONNECTION_LOST, type Exchange } from './call.ts';
import { type AnswerContext, fail } from './respond.ts';
import { answerStatus, type StatusScene } from './status.ts';

type Outcome = Exchange['answer'];

/** Gives a fault what it works with. */
export interface Scene {
  readonly call: Call;
  readonly record: RequestRecord;
  readonly clock: Clock;
  readonly context: AnswerContext;
  /** What an answer 405 says is allowed. */
  readonly allow: string;
  /** Carries the operation out; never throws. */
  readonly carryOut: () => Promise<Outcome>;
}

/** Answers a call with which something goes wrong (contract.md 7). */
export async function answerFaulty(fault: Fault, scene: Scene): Promise<Outcome> {
  if (fault.kind === 'latency') return answerLate(fault, scene);
  if (commitsFirst(fault)) return spoil(fault, await scene.carryOut(), scene);
  // What was sent is taken all the same: the journal shows it, and the connection is ready for the next call.
  await drainBody(scene.call, scene.record);
  return spoil(fault, fail(FAILURE, scene.context), scene);
}

const FAILURE = { type: 'server_error', message: 'The service failed.' } as const;

async function answerLate(fault: Fault & { kind: 'latency' }, { carryOut, clock }: Scene): Promise<Outcome> {
  const answer = commitsFirst(fault) ? await carryOut() : undefined;
  await sleep(fault.ms);
  clock.catchUp();
  return answer ?? carryOut();
}

// Kept from load time, so that fake timers installed later cannot freeze a call.
const { setTimeout } = globalThis;

function sleep(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // It keeps a process alive: somebody waits for the answer.
  setTimeout(resolve, milliseconds);
  return promise;
}

/** Spoils an answer; a connection that is lost anyway stays lost unless the fault answers in its own words. */
function spoil(fault: Exclude<Fault, { kind: 'latency' }>, answer: Outcome, scene: Scene): Outcome {
  switch (fault.kind) {
    case 'status':
      return answerStatus(fault, toStatusScene(scene));
    case 'rate_limit':
      return answerStatus({ ...fault, status: 429 }, toStatusScene(scene));
    case 'html':
      return showPage(fault.status ?? BAD_GATEWAY);
    case 'empty':
      return { status: fault.status ?? BAD_GATEWAY, headers: {}, body: null };
    case 'reset_before_commit':
    case 'reset_after_commit':
      return CONNECTION_LOST;
    case 'wrong_content_type':
    case 'truncated':
    case 'stalled':
    case 'garbage':
    default:
      return answer === CONNECTION_LOST ? answer : damage(fault.kind, answer);
  }
}

function damage(kind: AnswerFault['kind'], answer: Answer): Answer {
  if (kind === 'wrong_content_type') return { ...answer, headers: { ...answer.headers, ...HTML } };
  return { ...answer, damage: kind };
}

function toStatusScene({ context, allow, clock }: Scene): StatusScene {
  return { context, allow, now: clock.now() };
}

const BAD_GATEWAY = 502;
const HTML = { 'Content-Type': 'text/html; charset=utf-8' };

function showPage(status: number): Answer {
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n<p>The service cannot be reached.</p>\n`;
  return { status, headers: HTML, body };
}
