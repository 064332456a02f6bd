import { toRecord } from '../json.ts';
import { type Bench, demand, pay, readId } from './bench.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import { type Arrival, explainSilence, type Inbox } from './inbox.ts';

/** Looks at which answers a webhook is sent again for, when, and what it is like then. */
export async function lookAtRetries(bench: Bench): Promise<Finding[]> {
  expectOnce(bench);
  const gentle = await answerOnce(bench, 204);
  const harsh = gentle.again === undefined ? await answerOnce(bench, 500) : gentle;
  expectOnce(bench);
  if (harsh.again === undefined) {
    const evidence = `a 500 was not tried again within ${bench.plan.webhookPatience / 1_000} s`;
    return [
      unknown('retrySchedule', evidence, ['none']),
      unknown('ack', evidence),
      unknown('redelivery', evidence),
    ];
  }
  const ack =
    gentle === harsh
      ? found('ack', 200, 'a 204 was tried again')
      : found('ack', '2xx', 'a 204 was not tried again, a 500 was');
  return [ack, judgeSchedule(harsh, bench), judgeText(harsh.first, harsh.again)];
}

/** Returns the inbox. Throws Inconclusive when there is none. */
export function openInbox({ inbox }: Bench): Inbox {
  if (inbox !== undefined) return inbox;
  throw new Inconclusive('no webhooks are received: --sandbox and --listen receive them');
}

/** Throws Inconclusive when what was acknowledged came again: a second delivery shows nothing then. */
function expectOnce(bench: Bench): void {
  const settled = new Set<string>();
  for (const { id, status, answered } of openInbox(bench).arrivals) {
    const name = `${id} ${status}`;
    if (settled.has(name)) throw new Inconclusive('webhooks that were answered with 200 come again');
    if (answered === 200) settled.add(name);
  }
}

type Tries = {
  readonly first: Arrival;
  /** The first and the second retry, if they came. */
  readonly again: Arrival | undefined;
  readonly third: Arrival | undefined;
};

/** Answers the first webhook of a new payment and its retry with a status, and waits for two retries. */
async function answerOnce(bench: Bench, status: number): Promise<Tries> {
  const inbox = openInbox(bench);
  inbox.answerNew(status);
  try {
    const id = readId(demand(await pay(bench), 'POST /payments').id);
    const ofPayment = (): Arrival[] => inbox.arrivals.filter((one) => one.id === id);
    await pause(bench, () => ofPayment().length > 0);
    inbox.answerNew(200);
    const [first] = ofPayment();
    if (first === undefined) throw new Inconclusive(explainSilence(inbox));
    inbox.answerAgain(first);
    const retries = (): Arrival[] =>
      ofPayment()
        .slice(1)
        .filter((one) => one.status === first.status);
    await pause(bench, () => retries().length > 0);
    const [again] = retries();
    if (again && isDefault(again.at - first.at, FIRST_RETRY)) await pause(bench, () => retries().length > 1);
    return { first, again, third: retries()[1] };
  } finally {
    inbox.answerNew(200);
    inbox.answerAgain(undefined);
  }
}

const STEP = 200;
const LONGEST_STEP = 10_000;

/** Waits until something is so, but no longer than the plan waits for webhooks. */
export async function pause({ plan, sleep, signal, now }: Bench, isSo: () => boolean): Promise<void> {
  const start = now();
  const end = start + plan.webhookPatience;
  while (!isSo() && now() < end) await sleep(Math.min(STEP + (now() - start) / 30, LONGEST_STEP), signal);
}

/** The bounds of the first two delays of the default schedule, 5 s and 5 min (contract.md 5), in milliseconds. */
const FIRST_RETRY = [4_000, 8_000] as const;
const SECOND_RETRY = [285_000, 330_000] as const;

function isDefault(delay: number, [least, most]: readonly [number, number]): boolean {
  return delay >= least && delay <= most;
}

/** Judges a schedule by two delays: 5 s alone may as well be the delay of every retry. */
function judgeSchedule({ first, again = first, third }: Tries, { plan }: Bench): Finding {
  const delays = [again.at - first.at, ...(third ? [third.at - again.at] : [])];
  const seconds = delays.map((delay) => `${(delay / 1_000).toFixed(1)} s`).join(' and then ');
  const evidence = `a refused webhook was tried again after ${seconds}`;
  const [firstDelay = 0, secondDelay] = delays;
  if (!isDefault(firstDelay, FIRST_RETRY)) return other('retrySchedule', evidence);
  if (secondDelay === undefined) {
    const limit = `${plan.webhookPatience / 1_000} s`;
    const advice = 'the default schedule has a delay of 5 min next, which --webhook-timeout 6m waits for';
    return unknown('retrySchedule', `${evidence}, and not once more within ${limit}; ${advice}`, ['default']);
  }
  return isDefault(secondDelay, SECOND_RETRY)
    ? found('retrySchedule', 'default', evidence)
    : other('retrySchedule', evidence);
}

function judgeText(first: Arrival, again: Arrival): Finding {
  if (first.text === again.text) return found('redelivery', 'same', 'the second try has the same bytes');
  const evidence = `the second try says ${again.text}`;
  const { created_at: before, ...one } = toRecord(JSON.parse(first.text));
  const { created_at: after, ...two } = toRecord(JSON.parse(again.text));
  const isRenewed = before !== after && JSON.stringify(one) === JSON.stringify(two);
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}
