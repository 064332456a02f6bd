import type { Profile } from '@service/mock';
import { type Bench, demand, type Experiment, pay, readId } from './bench.ts';
import { type Finding, found, other, unknown } from './finding.ts';
import { type Arrival, explainSilence } from './inbox.ts';
import { lookAtRetries, openInbox, pause } from './retries.ts';
import { watch } from './watch.ts';

/** Looks at webhooks: which statuses send one, what counts as an acknowledgement, and what a second try is like (spec §6). */
export const webhooks: readonly Experiment[] = [
  { settings: ['events'], pays: true, look: lookAtEvents },
  { settings: ['ack', 'retrySchedule', 'redelivery'], pays: true, look: lookAtRetries },
];

const ranks: readonly Profile['events'][number][] = [
  'pending',
  'processing',
  'under_review',
  'completed',
  'failed',
];

async function lookAtEvents(bench: Bench): Promise<Finding[]> {
  const went = new Set<string>();
  const told = new Set<string>();
  for (const changes of [{}, { beneficiary_account: bench.plan.failing }]) {
    const { id } = demand(await pay(bench, changes), 'POST /payments');
    const { statuses } = await watch(bench, readId(id), ['completed', 'failed']);
    for (const status of statuses) went.add(status);
    for (const { status } of await awaitEvents(bench, readId(id), statuses)) told.add(status);
  }
  const evidence = `statuses: ${[...went].join(', ')}; events: ${[...told].join(', ') || 'none'}`;
  if (told.size === 0) return [unknown('events', `${explainSilence(openInbox(bench))}; ${evidence}`)];
  const stranger = [...told].find((status) => !ranks.some((rank) => rank === status));
  if (stranger !== undefined) return [other('events', evidence)];
  const events = ranks.filter((status) => told.has(status));
  const isWhole = went.has('completed') && went.has('failed');
  return [isWhole ? found('events', events, evidence) : unknown('events', evidence)];
}

/** Waits for the events of a payment: until each status that was seen has one, or none has come for a while. */
async function awaitEvents(
  bench: Bench,
  id: string,
  statuses: readonly string[],
): Promise<readonly Arrival[]> {
  const { arrivals } = openInbox(bench);
  const ofPayment = (): Arrival[] => arrivals.filter((one) => one.id === id);
  const isWhole = (): boolean => statuses.every((status) => ofPayment().some((one) => one.status === status));
  for (let count = -1; count < ofPayment().length;) {
    count = ofPayment().length;
    await pause(bench, () => isWhole() || ofPayment().length > count);
    if (isWhole()) break;
  }
  return ofPayment();
}
