import { toRecord } from '../json.ts';
import { type Bench, demand, pay, readId } from './bench.ts';
import { type Finding, found, Inconclusive, other, unknown } from './finding.ts';
import type { Arrival, Inbox } from './inbox.ts';

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
  return [ack, judgeTime(harsh.took), judgeText(harsh.first, harsh.again)];
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
  readonly again: Arrival | undefined;
  /** Holds the milliseconds between the two. */
  readonly took: number;
};

/** Answers the first webhook of a new payment with a status, and waits for its second delivery. */
async function answerOnce(bench: Bench, status: number): Promise<Tries> {
  const inbox = openInbox(bench);
  inbox.answerNew(status);
  try {
    const id = readId(demand(await pay(bench), 'POST /payments').id);
    const ofPayment = (): Arrival[] => inbox.arrivals.filter((one) => one.id === id);
    await pause(bench, () => ofPayment().length > 0);
    inbox.answerNew(200);
    const [first] = ofPayment();
    if (first === undefined)
      throw new Inconclusive('no webhook came; its address or secret may be another one');
    const start = bench.now();
    const findAgain = (): Arrival | undefined =>
      ofPayment()
        .slice(1)
        .find((one) => one.status === first.status);
    await pause(bench, () => findAgain() !== undefined);
    return { first, again: findAgain(), took: bench.now() - start };
  } finally {
    inbox.answerNew(200);
  }
}

const STEP = 200;

/** Waits until something is so, but no longer than the plan waits for webhooks. */
export async function pause({ plan, sleep, signal, now }: Bench, isSo: () => boolean): Promise<void> {
  const end = now() + plan.webhookPatience;
  while (!isSo() && now() < end) await sleep(STEP, signal);
}

/** The second try of the default schedule comes after 5 s (contract.md 5); what comes after that is taken on trust. */
function judgeTime(took: number): Finding {
  const evidence = `a webhook was tried again after ${(took / 1_000).toFixed(1)} s`;
  const isDefault = took >= 4_000 && took <= 8_000;
  return isDefault ? found('retrySchedule', 'default', evidence) : other('retrySchedule', evidence);
}

function judgeText(first: Arrival, again: Arrival): Finding {
  if (first.text === again.text) return found('redelivery', 'same', 'the second try has the same bytes');
  const evidence = `the second try says ${again.text}`;
  const { created_at: before, ...one } = toRecord(JSON.parse(first.text));
  const { created_at: after, ...two } = toRecord(JSON.parse(again.text));
  const isRenewed = before !== after && JSON.stringify(one) === JSON.stringify(two);
  return isRenewed ? found('redelivery', 'newCreatedAt', evidence) : other('redelivery', evidence);
}
