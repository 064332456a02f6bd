// The statuses of payments that send webhooks.
import { isEnded } from '../follow.ts';
import { type Question, sortOut, type Step, textOf } from '../question.ts';
import { type Delivery, documented, type Seen } from '../seen.ts';
import { roundWithin, toDuration } from '../time.ts';

const NO_WEBHOOK =
  'no webhook was received: pass `webhooks`, and check the URL and the secret of the endpoint';

/** The time after which an event that did not come counts as missing, in milliseconds. */
const SILENCE = 6_000;

/** Waits for the last event of each payment that ended. */
export const awaitWebhooks: Step = {
  subject: 'webhooks',
  needs: 'webhooks',
  send: async ({ now, sleep, after, seen, send }) => {
    const end = Math.min(now() + SILENCE, after(58));
    const isComplete = (): boolean =>
      seen().payments.every(({ changes, deliveries }) => {
        const last = changes.at(-1)?.status;
        return !isEnded(last) || deliveries.some(({ status }) => status === last);
      }) && seen().deliveries.every((one) => !one.isRefused || findRetry(one, seen()));
    while (!isComplete() && now() < end) await sleep(500);
    // Its time is the end of the wait.
    await send('/balance');
  },
};

/** Returns the statuses of each payment that ended, and whether they sent an event. */
function listSent({ payments, until }: Seen) {
  return payments.flatMap(({ create, changes, deliveries, statuses }) => {
    const last = changes.at(-1);
    const sent = new Set(deliveries.map(({ status }) => status));
    if (last === undefined || !isEnded(last.status)) return [];
    if (!sent.has(last.status) && until - last.to < SILENCE) return [];
    const shown = documented.filter((one) => one === create.response.data.status || statuses.includes(one));
    return shown.map((status) => {
      const hasEvent = sent.has(status);
      const text = `${hasEvent ? 'an' : 'no'} event ${status} of ${String(create.sent.amount)}`;
      return { status, hasEvent, text };
    });
  });
}

export const events: Question = {
  setting: 'events',
  ask: awaitWebhooks,
  second: 'a second payment with each status',
  read: (seen) => {
    if (seen.deliveries.length === 0) return { unknown: NO_WEBHOOK };
    const sent = listSent(seen);
    const of = (name: string) => sent.filter(({ status }) => status === name);
    if (of('completed').length === 0 || of('failed').length === 0)
      return { unknown: 'it requires payments that complete and that fail, with webhooks' };
    const statuses = new Set(seen.deliveries.map(({ status }) => status));
    const strays = [...statuses].filter((status) => !documented.includes(status));
    return {
      value: documented.filter((status) => of(status)[0]?.hasEvent ?? true),
      evidence: `the events of ${of('completed').length + of('failed').length} payments`,
      missing: [
        ...strays.map((status) => `the event ${status}`),
        ...documented.flatMap((status) =>
          of(status).length < 2 ? [`a second payment that was ${status}`] : [],
        ),
      ],
    };
  },
  proves: (seen, value) => {
    const values = value as readonly string[];
    return sortOut(listSent(seen), (one) => values.includes(one.status) === one.hasEvent, textOf);
  },
};

/** The event of a delivery. */
const keyOf = ({ id, status }: Delivery): string => `${id} ${status}`;

/** Returns the last delivery of a refused event: a copy can come before the retry. */
const findRetry = (refused: Delivery, { deliveries }: Seen): Delivery | undefined =>
  deliveries.findLast((one) => one !== refused && keyOf(one) === keyOf(refused));

/** The documented delays after the first one. */
const laterDelays = ['5m', '30m', '2h', '5h', '10h', '10h'];

/** The time after which a refused event comes again. A run sees only the first delay. */
export const retrySchedule: Question = {
  setting: 'retrySchedule',
  ask: awaitWebhooks,
  second: 'the later delays',
  read: (seen) => {
    const refused = seen.deliveries.filter(({ isRefused }) => isRefused);
    const gaps = refused.flatMap((one) => (findRetry(one, seen)?.at ?? Infinity) - one.at);
    // A copy comes at once.
    const gap = Math.max(...gaps.filter((one) => one > LATE && one < Infinity));
    if (!Number.isFinite(gap)) return { unknown: `none of ${refused.length} refused events came again` };
    const delay = toDuration(roundWithin([Math.max(0, gap - LATE), gap]));
    return {
      value: delay === '5s' ? 'default' : [delay, ...laterDelays],
      evidence: `a refused event came again after ${Math.round(gap)} ms`,
    };
  },
  proves: () => ({ agree: [], against: [] }),
};

/** The time that a delivery takes, in milliseconds. */
const LATE = 100;

const rankOf = ({ status }: Delivery): number => documented.indexOf(status);

/** Events that came twice, or after a later one of their payment. A run has too few of them for more than an estimate. */
export const deliveryFaults: Question = {
  setting: 'deliveryFaults',
  ask: awaitWebhooks,
  second: 'the events of hundreds of payments',
  read: ({ deliveries }) => {
    const refused = new Set(deliveries.filter(({ isRefused }) => isRefused).map(keyOf));
    const usual = deliveries.filter((one) => one.isRefused || !refused.has(keyOf(one)));
    const first = [...new Map(usual.map((one) => [keyOf(one), one])).values()];
    const [copies, total] = [usual.length - first.length, first.length];
    const isLate = (one: Delivery, index: number): boolean =>
      first.slice(0, index).some((other) => other.id === one.id && rankOf(other) > rankOf(one));
    const late = first.filter(isLate).length;
    if (copies + late === 0) return { unknown: `none of ${total} events came twice or late` };
    const [duplicates, reorder] = [copies, late].map((count) => Number((count / total).toFixed(2)));
    return {
      value: { duplicates, reorder },
      evidence: `${copies} copies and ${late} late ones of ${total} events`,
    };
  },
  proves: () => ({ agree: [], against: [] }),
};
