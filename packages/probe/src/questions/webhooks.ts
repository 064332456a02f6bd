// Webhooks: the statuses that send one, and retries.
import { isEnded } from '../follow.ts';
import { type Question, sortOut, type Step } from '../question.ts';
import type { Seen } from '../seen.ts';
import { toDuration } from '../time.ts';

const NO_WEBHOOK =
  'no webhook was received: pass `webhooks`, and check the URL and the secret of the endpoint';

/** The longest wait for the retries, in milliseconds. */
const LONGEST_WAIT = 30_000;

/** Waits for the end of the retries, and for the events of each status. */
export const awaitWebhooks: Step = {
  subject: 'webhooks',
  needs: 'webhooks',
  send: async (run) => {
    const { now, sleep, after, report, seen } = run;
    const start = now();
    const firstAt = seen().deliveries[0]?.at ?? start;
    report('the retries of webhooks that were not acknowledged');
    for (;;) {
      const { deliveries } = seen();
      const series = listSeries(seen());
      const hasEnded = series.length > 0 && series.every((one) => hasSettled(one, now()));
      const isQuiet = now() - Math.max(firstAt, ...deliveries.map(({ at }) => at)) > 1_500;
      if (now() - firstAt > LONGEST_WAIT || now() > after(58) || (isQuiet && hasEnded)) break;
      await sleep(Math.min(3_000, 100 + (now() - start) / 30));
    }
    // Its time is the end of the wait.
    await run.send('/balance');
  },
};

/** The times between the attempts to deliver one event that got a failure. */
interface Series {
  readonly gaps: readonly number[];
  readonly last: number;
}

/** The time within which a second delivery is a copy rather than a retry, in milliseconds. */
const COPY_WINDOW = 200;

/** Returns the attempts of the first event of each payment that got a failure. */
function listSeries({ deliveries }: Seen): Series[] {
  const first = deliveries.filter(({ attempt, answer }) => attempt === 1 && answer >= 300);
  return first.map(({ id, status }): Series => {
    const all = deliveries.filter((one) => one.id === id && one.status === status).map(({ at }) => at);
    const times = all.filter((at, index) => index === 0 || at - (all[index - 1] ?? 0) >= COPY_WINDOW);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
    return { gaps, last: times.at(-1) ?? 0 };
  });
}

/** Returns whether no attempt follows for three times the longest gap, after two of them. */
const hasSettled = ({ gaps, last }: Series, now: number): boolean =>
  gaps.length > 1 && now - last > 3 * Math.max(...gaps);

/** Whether events that were acknowledged with 200 came again: then a second delivery proves nothing. */
const hasCopies = ({ deliveries }: Seen): boolean =>
  deliveries.some(({ attempt, answer }) => attempt > 1 && answer === 200);

/** The bounds of the first two delays of the default schedule, in milliseconds. */
const [FIRST, SECOND] = [
  [4_500, 7_000],
  [285_000, 330_000],
] as const;
const isWithin = (gap: number | undefined, [least, most]: readonly [number, number]): boolean =>
  gap !== undefined && gap >= least && gap <= most;

const round = (gap: number): number =>
  gap >= 3_000 ? Math.round(gap / 1_000) * 1_000 : Math.max(100, Math.round(gap / 100) * 100);
const writeGaps = ({ gaps }: Series): string =>
  `after 500: ${gaps.map((gap) => `${(gap / 1_000).toFixed(1)} s`).join(', then ') || 'no retry'}`;

const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 300 + Math.max(one, other) / 5;

/** The delays between attempts. They are complete if none follows for three times the longest one. */
const retrySchedule: Question = {
  setting: 'retrySchedule',
  ask: awaitWebhooks,
  second: 'the retries of a second webhook',
  read: (seen) => {
    if (seen.deliveries.length === 0) return { unknown: NO_WEBHOOK };
    const [first] = listSeries(seen);
    if (first === undefined) return { unknown: 'no webhook was left without an acknowledgement' };
    if (hasCopies(seen)) return { unknown: 'other webhooks came twice although they were acknowledged' };
    if (first.gaps.length === 0) return { unknown: 'a webhook that got 500 was not sent again' };
    const isDefault =
      isWithin(first.gaps[0], FIRST) && (first.gaps.length === 1 || isWithin(first.gaps[1], SECOND));
    const isWhole = isDefault ? first.gaps.length > 1 : hasSettled(first, seen.until);
    const value = isDefault ? 'default' : first.gaps.map((gap) => toDuration(round(gap)));
    const more = isDefault
      ? 'the retries after the first one, which come later than the end of a run'
      : 'whether more retries follow after the end of the run';
    return { value, evidence: writeGaps(first), missing: isWhole ? [] : [more] };
  },
  proves: (seen) => {
    const [first, ...others] = listSeries(seen);
    const isSame = ({ gaps }: Series): boolean => {
      const length = Math.min(gaps.length, first?.gaps.length ?? 0);
      return (
        length > 0 &&
        Math.abs(gaps.length - (first?.gaps.length ?? 0)) <= 1 &&
        gaps.slice(0, length).every((gap, index) => isNear(gap, first?.gaps[index] ?? 0))
      );
    };
    return sortOut(others, isSame, writeGaps);
  },
};

const documented = ['pending', 'processing', 'completed', 'failed'];

/** A status of a payment that ended, and whether it sent an event. */
interface Sent {
  readonly status: string;
  readonly hasEvent: boolean;
  readonly text: string;
}

/** The time after which an event that did not come counts as missing, in milliseconds. */
const SILENCE = 6_000;

function listSent({ payments, until }: Seen): Sent[] {
  return payments.flatMap(({ create, changes, deliveries, statuses }): Sent[] => {
    const last = changes.at(-1);
    const sent = new Set(deliveries.map(({ status }) => status));
    if (last === undefined || !isEnded(last.status)) return [];
    if (!sent.has(last.status) && until - last.to < SILENCE) return [];
    return [...new Set([String(create.response.data.status), ...statuses])]
      .filter((status) => documented.includes(status))
      .map((status) => {
        const hasEvent = sent.has(status);
        const text = `${hasEvent ? 'an' : 'no'} event ${status} of ${String(create.sent.amount)}`;
        return { status, hasEvent, text };
      });
  });
}

const events: Question = {
  setting: 'events',
  ask: awaitWebhooks,
  second: 'a second payment with each status',
  read: (seen) => {
    if (seen.deliveries.length === 0) return { unknown: NO_WEBHOOK };
    const sent = listSent(seen);
    const of = (name: string): Sent[] => sent.filter(({ status }) => status === name);
    if (of('completed').length === 0 || of('failed').length === 0)
      return { unknown: 'it requires payments that complete and that fail, with webhooks' };
    const strays = new Set(
      seen.deliveries.map(({ status }) => status).filter((one) => !documented.includes(one)),
    );
    return {
      value: documented.filter((status) => of(status)[0]?.hasEvent ?? true),
      evidence: `the events of ${of('completed').length + of('failed').length} payments`,
      missing: [
        ...[...strays].map((status) => `the event ${status}`),
        ...documented.flatMap((status) =>
          of(status).length < 2 ? [`a second payment that was ${status}`] : [],
        ),
      ],
    };
  },
  proves: (seen, value) => {
    const isRight = ({ status, hasEvent }: Sent): boolean =>
      (value as readonly string[]).includes(status) === hasEvent;
    return sortOut(listSent(seen), isRight, ({ text }) => text);
  },
};

export const webhookQuestions: readonly Question[] = [events, retrySchedule];
