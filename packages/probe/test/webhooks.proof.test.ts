import { describe, expect, it } from 'vitest';
import { type Exchange, probeService, type ServiceOptions } from './probe-service.ts';

const settings = ['events', 'ack', 'retrySchedule'] as const;
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
    expect(settings.map(outcome.result)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it.each<[string, number, number[], string | number, RegExp]>([
    [
      'one delay of 5 s',
      20_000,
      [],
      'unknown',
      /after 5.0 s, and not again within \d+ s; the next default delay/,
    ],
    ['5 s and 5 min', 360_000, [], 'default', /after 5.0 s, then 300.0 s/],
    ['5 s and 5 s', 20_000, [5_000, 5_000], 2, /after 5.. s, then 5.. s, and not again within \d+ s/],
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
    },
  );

  it('does not report the events if one came after the timeout and another one did not come', async () => {
    const late: Record<string, number> = { 'payment.pending': 27_000, 'payment.processing': 200_000 };
    const outcome = await probeService(deliverLate((event) => late[event] ?? 0));
    expect(outcome.find('events')?.evidence).toMatch(
      /; an event came \d+ s late, so another one can be missing: raise `webhookTimeout`$/,
    );
    expect(outcome.result('events')).toBe('unknown');
  });

  it('reports unknown if the webhooks go to another receiver', async () => {
    const outcome = await probeService({ deliver: async () => acknowledge() });
    expect(settings.map(outcome.result)).toEqual(['unknown', 'unknown', 'unknown']);
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
    expect(settings.slice(1).map(outcome.result)).toEqual(['unknown', 'unknown']);
  });

  it('finds no retry schedule among copies of events', async () => {
    const profile = { ack: '2xx', retrySchedule: ['250ms', '500ms', '1s', '2s', '3s'] } as const;
    const outcome = await probeService({ profile: { ...profile, deliveryFaults: { duplicates: 0.5 } } });
    expect(outcome.result('retrySchedule')).toBe('unknown');
    expect(['2xx', 'unknown']).toContain(outcome.result('ack'));
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
    expect(settings.map(outcome.result)).toEqual([all, ack, 'unknown']);
  });
});
