import type { Answer, Receiver, WebhookEvent } from '@service/webhooks';
import { LostOutputError } from '../lost-output-error.ts';
import type { Forward, Forwarding } from './forward.ts';
import type { Tally } from './goal.ts';
import type { Explain, Inspect, Inspection } from './inspect.ts';
import { type Report, reportEvent, reportRefusal } from './report.ts';

/** Says what is done with each delivery. */
export type ReceptionPlan = {
  readonly inspect: Inspect;
  /** Finds out why a delivery is refused; left out where nobody asked. */
  readonly explain: Explain | undefined;
  readonly forward: Forward | undefined;
  /** Is answered to an event in place of the receiver's own status. */
  readonly status: number | undefined;
  /** Names the events that are shown; all where undefined. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly tally: Tally;
  readonly now: () => number;
  readonly show: (report: Report) => Promise<void>;
  readonly note: (line: string) => void;
};

/** Is what deliveries come to, until there have been enough of them. */
export type Reception = {
  readonly deliver: Receiver['deliver'];
  /** Resolves when the goal is reached; rejects when nobody gets what is shown. */
  readonly over: Promise<void>;
  /** Turns whatever comes from now on away, and ends what is being forwarded. */
  readonly end: () => void;
};

/** Creates the reception of deliveries. */
export function createReception(plan: ReceptionPlan): Reception {
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  const stop = new AbortController();
  let isOver = false;
  const deliver: Receiver['deliver'] = async (delivery) => {
    const received_at = new Date(plan.now()).toISOString();
    const seen = await plan.inspect(delivery);
    const forwarding = isOver ? undefined : await forwardEvent(seen, plan, stop.signal);
    if (isOver) return turnAway();
    const answer = toAnswer(seen, forwarding, plan);
    // Counted before anything is awaited, so that of two that come at once no more than asked for is shown.
    isOver = isCounted(seen.event, forwarding, plan) && plan.tally.add(seen.event);
    try {
      await tell(seen, { received_at, answered: answer.status, forwarding }, plan);
    } catch (error) {
      if (error instanceof LostOutputError) {
        isOver = true;
        reject(error);
        return turnAway();
      }
      plan.note(`${received_at}  ${answer.status}  cannot be shown: ${(error as Error).message}`);
    }
    if (isOver) resolve();
    return answer;
  };
  const end = (): void => {
    isOver = true;
    stop.abort();
  };
  return { deliver, over, end };
}

async function forwardEvent(
  { event, body, headers }: Inspection,
  { forward }: ReceptionPlan,
  signal: AbortSignal,
): Promise<Forwarding | undefined> {
  if (forward === undefined || event === undefined || body === undefined) return undefined;
  return forward(body, headers, signal);
}

function toAnswer(
  { event, answer }: Inspection,
  forwarding: Forwarding | undefined,
  { status }: ReceptionPlan,
): Answer {
  if (event === undefined) return answer;
  if (forwarding !== undefined) return forwarding.answer;
  return status === undefined ? answer : { ...answer, status, body: '' };
}

/** Tells whether an event counts: it is shown, and the app that it was forwarded to took it. */
function isCounted(
  event: WebhookEvent | undefined,
  forwarding: Forwarding | undefined,
  { shown }: ReceptionPlan,
): event is WebhookEvent {
  if (event === undefined || shown?.has(event.event) === false) return false;
  const { status } = forwarding?.outcome ?? { status: 200 };
  return status !== undefined && status >= 200 && status < 300;
}

type Facts = {
  readonly received_at: string;
  readonly answered: number;
  readonly forwarding: Forwarding | undefined;
};

async function tell(seen: Inspection, facts: Facts, plan: ReceptionPlan): Promise<void> {
  const { event, body, error, method } = seen;
  const { received_at, answered } = facts;
  if (event !== undefined && body !== undefined) {
    if (plan.shown?.has(event.event) !== false) await plan.show(reportEvent(event, body, facts));
  } else if (error !== undefined) {
    const hints = await plan.explain?.(seen);
    await plan.show(reportRefusal(error, { received_at, answered, hints }));
  } else {
    plan.note(`${received_at}  ${answered} for ${method}: webhooks are sent by POST.`);
  }
}

function turnAway(): Answer {
  return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'not listening' };
}
