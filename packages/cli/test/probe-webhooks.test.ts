// What the probe makes of webhooks that are late, twice, out of order, of others, or not genuine.
import { sign } from '@service/webhooks';
import { expect, it } from 'vitest';
import { createInbox } from '../src/probe/inbox.ts';
import { type Asked, probeService, type Service } from './probe-world.ts';

const settings = ['events', 'ack', 'retrySchedule', 'redelivery'] as const;
const all = ['pending', 'processing', 'completed', 'failed'];
const taken = (): Response => new Response(null);

type Hold = { due: number; send: () => Promise<Response> };

/** Hands each webhook to the inbox some milliseconds later, `times` times; what it is answered then reaches nobody. */
function handLate(by: (event: string) => number, times = 1): Pick<Service, 'deliver' | 'onTime'> {
  let held: Hold[] = [];
  return {
    deliver: async (delivery, hand, mock) => {
      const body = await delivery.text();
      const { event } = JSON.parse(body) as { event: string };
      const copy = { method: 'POST', headers: delivery.headers, body };
      const send = async (): Promise<Response> => hand(new Request(delivery.url, copy));
      const due = mock.sandbox.clock.now().getTime() + by(event);
      for (let time = 0; time < times; time += 1) held.push({ due, send });
      return taken();
    },
    onTime: async ({ sandbox }) => {
      const now = sandbox.clock.now().getTime();
      const due = held.filter((one) => one.due <= now);
      held = held.filter((one) => one.due > now);
      for (const { send } of due) await send();
    },
  };
}

/** Retries a refused webhook after some milliseconds, in place of the mock. */
function retryAfter(delays: readonly number[]): Service {
  let held: Hold[] = [];
  const retries = new Map<string, number>();
  const deliver = async (
    delivery: Request,
    hand: (copy: Request) => Promise<Response>,
    now: () => number,
  ): Promise<Response> => {
    const again = delivery.clone();
    const name = await delivery.clone().text();
    const answer = await hand(delivery);
    const count = retries.get(name) ?? 0;
    const delay = delays[count];
    retries.set(name, count + 1);
    if (answer.status !== 200 && delay !== undefined) {
      held.push({ due: now() + delay, send: () => deliver(again, hand, now) });
    }
    return answer;
  };
  return {
    profile: { retrySchedule: 'none' },
    deliver: (delivery, hand, mock) => deliver(delivery, hand, () => mock.sandbox.clock.now().getTime()),
    onTime: async ({ sandbox }) => {
      const now = sandbox.clock.now().getTime();
      const due = held.filter((one) => one.due <= now);
      held = held.filter((one) => one.due > now);
      for (const { send } of due) await send();
    },
  };
}

it('says nothing of webhooks whose secret is another one', async () => {
  const seen = await probeService({ secret: 'another secret' });
  expect(settings.map(seen.said)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
});

it('says how many webhooks were refused because of another secret', async () => {
  const { of } = await probeService({ secret: 'another secret' });
  expect(of('events')?.evidence).toMatch(
    /^no genuine webhook came, and \d+ webhooks were refused: is the signing secret that of the service\?/,
  );
  expect(of('ack')?.evidence).toMatch(/^no genuine webhook came, and \d+ webhooks were refused: /);
});

it.each<[string, number, number[], string, RegExp]>([
  ['one delay of 5 s', 20_000, [], 'unknown', /after 5.0 s, and not once more within 20 s; the default/],
  ['5 s and 5 min', 360_000, [], 'default', /after 5.0 s and then 300.0 s/],
  ['5 s and 5 s', 20_000, [5_000, 5_000], 'other', /after 5.. s and then 5.. s/],
  ['2 s', 20_000, [2_000], 'other', /after 2.. s/],
])('judges a schedule by its delays: %s', async (_, webhookPatience, delays, said, evidence) => {
  const seen = await probeService({
    plan: { webhookPatience },
    ...(delays.length > 0 && retryAfter(delays)),
  });
  expect(seen.said('retrySchedule')).toBe(said);
  expect(seen.of('retrySchedule')?.evidence).toMatch(evidence);
  expect(seen.said('redelivery')).toBe('same');
});

it('takes a copy of a webhook for no retry', async () => {
  const seen = await probeService({
    deliver: async (delivery, hand) => {
      const copy = delivery.clone();
      const answer = await hand(delivery);
      await hand(copy);
      return answer;
    },
  });
  expect(settings.map(seen.said)).toEqual([all, 200, 'unknown', 'same']);
  expect(seen.of('retrySchedule')).toMatchObject({ among: ['default'] });
});

it('says nothing of webhooks that go elsewhere', async () => {
  const seen = await probeService({ deliver: async () => taken() });
  expect(settings.map(seen.said)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
});

it('waits for events that come late and out of order', async () => {
  const seen = await probeService(handLate((event) => (event === 'payment.processing' ? 9_000 : 0)));
  expect(seen.said('events')).toEqual(all);
});

it.each([15_000, 22_000, 45_000])('is not misled by events that come %i ms late', async (late) => {
  const seen = await probeService(handLate(() => late));
  expect([all, 'unknown']).toContainEqual(seen.said('events'));
  expect([200, 'unknown']).toContain(seen.said('ack'));
  expect(seen.said('retrySchedule')).toBe('unknown');
});

it('does not take webhooks that always come twice for ones that are tried again', async () => {
  const seen = await probeService({ profile: { ack: '2xx' }, ...handLate(() => 100, 2) });
  expect(seen.said('events')).toEqual(all);
  expect(settings.slice(1).map(seen.said)).toEqual(['unknown', 'unknown', 'unknown']);
});

it.each([[200], ['2xx']] as const)(
  'is not misled by payments of others where %s acknowledges',
  async (ack) => {
    const seen = await probeService({
      profile: { ack },
      bend: async ({ request, path, answer, mock }: Asked) => {
        if (request.method === 'POST' && path === '/payments') {
          const body = { from_currency: 'USD', to_currency: 'EUR', amount: 3, beneficiary_name: 'B' };
          await mock.fetch(
            new Request(request.url, {
              method: 'POST',
              headers: request.headers,
              body: JSON.stringify(body),
            }),
          );
          await mock.sandbox.idle();
        }
        return answer();
      },
    });
    expect(settings.map(seen.said)).toEqual([all, ack, 'unknown', 'same']);
  },
);

it('does not say that nothing is tried again of a service that may be slow to', async () => {
  const seen = await probeService({ profile: { retrySchedule: 'none' } });
  expect(seen.of('retrySchedule')).toMatchObject({ state: 'unknown', among: ['none'] });
});

it('does not take other bytes of the same time for a new time', async () => {
  let count = 0;
  const seen = await probeService({
    deliver: async (delivery, hand) => {
      count += 1;
      const body = `${await delivery.text()}${' '.repeat(count % 9)}`;
      const headers = { 'x-service-signature': sign(body, 'a secret of this test') };
      return hand(new Request(delivery.url, { method: 'POST', headers, body }));
    },
  });
  expect(seen.said('redelivery')).toBe('other');
});

it('keeps in its inbox what an event tells, not what has become of the payment since', () => {
  let time = 0;
  const inbox = createInbox(() => time);
  const take = (payload: object): number => inbox.take(new TextEncoder().encode(JSON.stringify(payload)));
  inbox.answerNew(204);
  const data = { id: 'pay_test_1', status: 'completed' };
  expect(take({ event: 'ping', data })).toBe(200);
  expect(take({ event: 'payment.processing', data })).toBe(204);
  expect(take({ event: 'payment.completed', data })).toBe(200);
  expect(inbox.arrivals.map(({ status, answered }) => [status, answered])).toEqual([
    ['processing', 204],
    ['completed', 200],
  ]);
  // A copy gets the answer of the delivery that it copies, a retry its own.
  time = 999;
  expect(take({ event: 'payment.processing', data })).toBe(204);
  time = 1_000;
  expect(take({ event: 'payment.processing', data })).toBe(200);
  expect(inbox.arrivals).toHaveLength(3);
});
