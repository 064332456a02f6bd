// Observes the webhooks of the sandbox with any profile.
import type { Mock, Profile } from '@service/mock';
import { type Observation, readBody, WEBHOOK } from './observation.ts';
import { openSandbox, pay } from './sandbox-calls.ts';

/** The requests to the endpoint of a payment, which rejects the first attempt and responds 202 to the others. */
interface Received {
  readonly bodies: readonly string[];
  /** The names of the headers of the first request. */
  readonly headers: readonly string[];
  /** Seconds after the create. */
  readonly seconds: readonly number[];
  readonly deliveries: ReturnType<Mock['sandbox']['webhooks']['deliveries']>;
}

async function receiveWebhooks(profile: Partial<Profile>): Promise<Received> {
  const bodies: string[] = [];
  const headers: string[] = [];
  const seconds: number[] = [];
  const mock = openSandbox(profile, async (request) => {
    bodies.push(await request.text());
    seconds.push((mock.sandbox.clock.now().getTime() - start) / 1000);
    if (bodies.length === 1) headers.push(...request.headers.keys());
    return new Response(null, { status: bodies.length === 1 ? 500 : 202 });
  });
  mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:3000/webhooks' });
  const start = mock.sandbox.clock.now().getTime();
  await pay(mock);
  await mock.sandbox.clock.advance('60s');
  return { bodies, headers, seconds, deliveries: mock.sandbox.webhooks.deliveries() };
}

/** Observes the webhooks of a payment. */
export async function observeWebhooks(profile: Partial<Profile>): Promise<Observation[]> {
  const { bodies, headers, seconds, deliveries } = await receiveWebhooks(profile);
  const attempts = deliveries[0]?.attempts.map(({ result }) => Object.values(result).join(' ')) ?? [];
  const repeated = bodies.filter((body) => body.includes('"payment.pending"'));
  const facts: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'the events of a payment': [
      ['statuses', deliveries.map(({ status }) => status).join(', ')],
      ['seconds of the requests', seconds.join(', ')],
    ],
    'an event': [...readBody(bodies[0] ?? ''), ['headers', headers.join(', ')]],
    'an event whose first attempt had the response 500': [
      ['attempts within a minute', attempts.join(', ')],
      ['bytes of the attempts', new Set(repeated).size > 1 ? 'different' : 'equal'],
    ],
  };
  return Object.entries(facts).map(([title, each]) => ({ operation: WEBHOOK, title, facts: new Map(each) }));
}
