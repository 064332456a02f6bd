import { sign } from '@service/webhooks';
import { describe, expect, it } from 'vitest';
import { createWebhookRecorder } from '../src/recorder.ts';
import { type Exchange, probeService, type ServiceOptions } from './probe-service.ts';

const settings = ['events', 'ack', 'retrySchedule', 'redelivery'] as const;
const all = ['pending', 'processing', 'completed', 'failed'];
const acknowledge = (): Response => new Response(null);

interface HeldDelivery {
  due: number;
  send: () => Promise<Response>;
}

/** Delays each webhook and delivers it `times` times. The mock gets a 200 immediately. */
function deliverLate(
  by: (event: string) => number,
  times = 1,
): Pick<ServiceOptions, 'deliver' | 'onAdvance'> {
  let held: HeldDelivery[] = [];
  return {
    deliver: async (delivery, receive, mock) => {
      const body = await delivery.text();
      const { event } = JSON.parse(body) as { event: string };
      const copy = { method: 'POST', headers: delivery.headers, body };
      const send = async (): Promise<Response> => receive(new Request(delivery.url, copy));
      const due = mock.sandbox.clock.now().getTime() + by(event);
      for (let time = 0; time < times; time += 1) held.push({ due, send });
      return acknowledge();
    },
    onAdvance: async ({ sandbox }) => {
      const now = sandbox.clock.now().getTime();
      const due = held.filter((one) => one.due <= now);
      held = held.filter((one) => one.due > now);
      for (const { send } of due) await send();
    },
  };
}

/** Retries an unacknowledged webhook after the given delays, in place of the mock. */
function retryAfter(delays: readonly number[]): ServiceOptions {
  let held: HeldDelivery[] = [];
  const retries = new Map<string, number>();
  const deliver = async (
    delivery: Request,
    receive: (copy: Request) => Promise<Response>,
    now: () => number,
  ): Promise<Response> => {
    const copy = delivery.clone();
    const name = await delivery.clone().text();
    const response = await receive(delivery);
    const count = retries.get(name) ?? 0;
    const delay = delays[count];
    retries.set(name, count + 1);
    if (response.status !== 200 && delay !== undefined) {
      held.push({ due: now() + delay, send: () => deliver(copy, receive, now) });
    }
    return response;
  };
  return {
    profile: { retrySchedule: 'none' },
    deliver: (delivery, receive, mock) =>
      deliver(delivery, receive, () => mock.sandbox.clock.now().getTime()),
    onAdvance: async ({ sandbox }) => {
      const now = sandbox.clock.now().getTime();
      const due = held.filter((one) => one.due <= now);
      held = held.filter((one) => one.due > now);
      for (const { send } of due) await send();
    },
  };
}

describe('probe, webhooks', () => {
  it('reports unknown if the signing secret differs', async () => {
    const outcome = await probeService({ secret: 'another secret' });
    expect(settings.map(outcome.result)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });

  it('counts the webhooks that were rejected because the signing secret differs', async () => {
    const { find } = await probeService({ secret: 'another secret' });
    expect(find('events')?.evidence).toMatch(
      /^no valid webhook was received, and \d+ rejected; check that the signing secret is the secret of the endpoint/,
    );
    expect(find('ack')?.evidence).toMatch(/^no valid webhook was received, and \d+ rejected; /);
  });

  it.each<[string, number, number[], string | number, RegExp]>([
    [
      'one delay of 5 s',
      20_000,
      [],
      'unknown',
      /after 5.0 s, and not again within 1\d s; the next default delay/,
    ],
    ['5 s and 5 min', 360_000, [], 'default', /after 5.0 s, then 300.0 s/],
    ['5 s and 5 s', 60_000, [5_000, 5_000], 2, /after 5.. s, then 5.. s, and not again within 1\d s/],
    [
      '5 s and 5 s',
      20_000,
      [5_000, 5_000],
      2,
      /after 5.. s, then 5.. s, and not again within \d+ s; a higher/,
    ],
    ['2 s', 20_000, [2_000], 'unknown', /after 2.. s, and not again within 1\d s/],
    ['1 s, 2 s and 4 s', 60_000, [1_500, 2_000, 4_000], 3, /then 4.. s, and not again/],
  ])(
    'evaluates a retry schedule by its delays: %s',
    async (_, webhookTimeout, delays, expected, evidence) => {
      const outcome = await probeService({
        options: { webhookTimeout },
        ...(delays.length > 0 && retryAfter(delays)),
      });
      const result = outcome.result('retrySchedule');
      expect(Array.isArray(result) ? result.length : result).toBe(expected);
      expect(outcome.find('retrySchedule')?.evidence).toMatch(evidence);
      expect(outcome.result('redelivery')).toBe('same');
    },
  );

  it('finds early retries if no acknowledged webhook came twice', async () => {
    const outcome = await probeService({ ...retryAfter([200, 200]) });
    expect([outcome.result('ack'), outcome.result('deliveryFaults')]).toEqual([200, 'none']);
    expect(outcome.result('retrySchedule')).toHaveLength(2);
  });

  it('reports an event that came after the timeout if it came during the run', async () => {
    const outcome = await probeService(deliverLate((event) => (event === 'payment.pending' ? 27_000 : 0)));
    expect(outcome.result('events')).toEqual(all);
  });

  it('does not report the events if one came after the timeout and another one did not come', async () => {
    const late: Record<string, number> = { 'payment.pending': 27_000, 'payment.processing': 200_000 };
    const outcome = await probeService(deliverLate((event) => late[event] ?? 0));
    expect(outcome.find('events')?.evidence).toMatch(
      /; another one came after more than 20 s: raise `webhookTimeout`$/,
    );
    expect(outcome.result('events')).toBe('unknown');
  });

  it('waits only once for an event that the service does not send', async () => {
    const { find, delays } = await probeService({ profile: { events: ['completed', 'failed'] } });
    expect(find('events')).toMatchObject({ state: 'found', value: ['completed', 'failed'] });
    expect(delays.reduce((sum, delay) => sum + delay)).toBeLessThan(60_000);
  });

  it('does not take a copy of a webhook for a retry', async () => {
    const outcome = await probeService({
      deliver: async (delivery, receive) => {
        const copy = delivery.clone();
        const response = await receive(delivery);
        await receive(copy);
        return response;
      },
    });
    expect(settings.map(outcome.result)).toEqual([all, 200, 'unknown', 'same']);
    expect(outcome.find('retrySchedule')).toMatchObject({ among: ['default'] });
  });

  it('reports unknown if the webhooks go to another receiver', async () => {
    const outcome = await probeService({ deliver: async () => acknowledge() });
    expect(settings.map(outcome.result)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });

  it('waits for events that are late and out of order', async () => {
    const outcome = await probeService(deliverLate((event) => (event === 'payment.processing' ? 9_000 : 0)));
    expect(outcome.result('events')).toEqual(all);
  });

  it.each([15_000, 22_000, 45_000])('does not report wrong values if events are %i ms late', async (late) => {
    const outcome = await probeService(deliverLate(() => late));
    expect([all, 'unknown']).toContainEqual(outcome.result('events'));
    expect([200, 'unknown']).toContain(outcome.result('ack'));
    expect(outcome.result('retrySchedule')).toBe('unknown');
  });

  it('does not take duplicate deliveries for retries', async () => {
    const outcome = await probeService({ profile: { ack: '2xx' }, ...deliverLate(() => 100, 2) });
    expect(outcome.result('events')).toEqual(all);
    expect(settings.slice(1).map(outcome.result)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it.each([[200], ['2xx']] as const)('ignores payments of other clients if %s acknowledges', async (ack) => {
    const outcome = await probeService({
      profile: { ack },
      intercept: async ({ request, path, forward, mock }: Exchange) => {
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
        return forward();
      },
    });
    expect(settings.map(outcome.result)).toEqual([all, ack, 'unknown', 'same']);
  });

  it('does not report that webhooks are not retried, because the service may retry later', async () => {
    const outcome = await probeService({ profile: { retrySchedule: 'none' } });
    expect(outcome.find('retrySchedule')).toMatchObject({ state: 'unknown', among: ['none'] });
    // The default is excluded: its first retry comes after 5 s.
    expect(outcome.profile.retrySchedule).toBe('none');
  });

  it('leaves a setting whose default remains possible out of the profile', async () => {
    const outcome = await probeService({});
    expect(outcome.find('retrySchedule')).toMatchObject({ state: 'unknown', among: ['default'] });
    expect(outcome.profile).not.toHaveProperty('retrySchedule');
  });

  it('does not report newCreatedAt for other bytes with the same time', async () => {
    let count = 0;
    const outcome = await probeService({
      deliver: async (delivery, receive) => {
        count += 1;
        const body = `${await delivery.text()}${' '.repeat(count)}`;
        const headers = { 'x-service-signature': sign(body, 'a secret of this test') };
        return receive(new Request(delivery.url, { method: 'POST', headers, body }));
      },
    });
    expect(outcome.result('redelivery')).toBe('other');
  });

  it('records the status of the event, not the current status of the payment', () => {
    let time = 0;
    const recorder = createWebhookRecorder(() => time);
    const take = (payload: object): number =>
      recorder.record(new TextEncoder().encode(JSON.stringify(payload)));
    recorder.respondToNew(204);
    const data = { id: 'pay_test_1', status: 'completed' };
    expect(take({ event: 'ping', data })).toBe(200);
    expect(take({ event: 'payment.processing', data })).toBe(204);
    expect(take({ event: 'payment.completed', data })).toBe(200);
    expect(recorder.webhooks.map(({ status, responseStatus }) => [status, responseStatus])).toEqual([
      ['processing', 204],
      ['completed', 200],
    ]);
    // A copy gets the response of the first delivery, a retry its own response.
    time = 199;
    expect(take({ event: 'payment.processing', data })).toBe(204);
    time = 200;
    expect(take({ event: 'payment.processing', data })).toBe(200);
    expect(recorder.webhooks).toHaveLength(3);
  });
});
