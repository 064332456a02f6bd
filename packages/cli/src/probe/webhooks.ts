import type { Profile } from '@service/mock';
import { type Bench, demand, type Experiment, pay, readId } from './bench.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import type { Arrival, Inbox } from './inbox.ts';
import { watch } from './watch.ts';
import { toRecord } from './wire.ts';

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

function openInbox({ inbox }: Bench): Inbox {
  if (inbox !== undefined) return inbox;
  throw new Inconclusive('no webhooks are received: --sandbox and --listen receive them');
}

async function lookAtEvents(bench: Bench): Promise<Finding[]> {
  const inbox = openInbox(bench);
  const went = new Set<string>();
  for (const changes of [{}, { beneficiary_account: bench.plan.failing }]) {
    const { id } = demand(await pay(bench, changes), 'POST /payments');
    const { statuses } = await watch(bench, readId(id), ['completed', 'failed']);
    for (const status of statuses) went.add(status);
    await pause(bench, () => inbox.arrivals.some((one) => one.id === id && isFinal(one.status)));
  }
  if (inbox.arrivals.length === 0)
    throw new Inconclusive('no webhook came; does the endpoint lead here, and is the secret its own?');
  const told = new Set(inbox.arrivals.map(({ status }) => status));
  const evidence = `statuses: ${[...went].join(', ')}; events: ${[...told].join(', ') || 'none'}`;
  const stranger = [...told].find((status) => !ranks.some((rank) => rank === status));
  if (stranger !== undefined) return [other('events', evidence)];
  const events = ranks.filter((status) => told.has(status));
  const isWhole = went.has('completed') && went.has('failed');
  return [isWhole ? found('events', events, evidence) : unknown('events', evidence)];
}

function isFinal(status: string): boolean {
  return status === 'completed' || status === 'failed';
}

async function lookAtRetries(bench: Bench): Promise<Finding[]> {
  openInbox(bench);
  const gentle = await answerOnce(bench, 204);
  if (gentle.again !== undefined)
    return [found('ack', 200, `a 204 was tried again`), ...judgeRetry(gentle.first, gentle.again)];
  const harsh = await answerOnce(bench, 500);
  if (harsh.again !== undefined)
    return [
      found('ack', '2xx', `a 204 was not tried again, a 500 was`),
      ...judgeRetry(harsh.first, harsh.again),
    ];
  const evidence = `a 500 was not tried again within ${bench.plan.webhookPatience / 1_000} s`;
  const why = 'nothing is tried again, so nothing shows it';
  return [found('retrySchedule', 'none', evidence), unknown('ack', why), unknown('redelivery', why)];
}

type Tries = { readonly first: Arrival; readonly again: Arrival | undefined };

/** Answers the first webhook of a new payment with a status, and waits for its second delivery. */
async function answerOnce(bench: Bench, status: number): Promise<Tries> {
  const inbox = openInbox(bench);
  const before = inbox.arrivals.length;
  inbox.answerNext(status);
  const { id } = demand(await pay(bench), 'POST /payments');
  const ofPayment = (): Arrival[] => inbox.arrivals.slice(before).filter((one) => one.id === id);
  await pause(bench, () => ofPayment().length > 0);
  const [first] = ofPayment();
  if (first === undefined) throw new Inconclusive('no webhook came');
  const findAgain = (): Arrival | undefined =>
    ofPayment()
      .slice(1)
      .find((one) => one.status === first.status);
  await pause(bench, () => findAgain() !== undefined);
  return { first, again: findAgain() };
}

const STEP = 200;

/** Waits until something is so, but no longer than the plan waits for webhooks. */
async function pause({ plan, sleep, signal, now }: Bench, isSo: () => boolean): Promise<void> {
  const end = now() + plan.webhookPatience;
  while (!isSo() && now() < end) {
    await sleep(STEP, signal);
    signal.throwIfAborted();
  }
}

function judgeRetry(first: Arrival, again: Arrival): Finding[] {
  const isSame = first.text === again.text;
  const evidence = isSame ? 'the second try has the same bytes' : `the second try says ${again.text}`;
  const isRenewed = JSON.stringify(withoutTime(first)) === JSON.stringify(withoutTime(again));
  const redelivery = isSame
    ? found('redelivery', 'same', evidence)
    : isRenewed
      ? found('redelivery', 'newCreatedAt', evidence)
      : other('redelivery', evidence);
  return [found('retrySchedule', 'default', 'a webhook was tried again'), redelivery];
}

function withoutTime({ text }: Arrival): object {
  return { ...toRecord(JSON.parse(text)), created_at: undefined };
}
