import { Stripe } from 'stripe';
import { createReceiver, sign } from '../../../packages/webhooks/dist/index.js';
import { createFigure } from '../figure.ts';
import type { Figure } from '../figure.ts';
import { ratios, runRounds } from '../rounds.ts';
import { SECRET, writeBody } from './bodies.ts';

const CALLS = 5_000;
const ROUNDS = 25;

/** Measures a receiver that verifies, parses, claims and answers against a peer that only verifies and parses. */
export async function measureReceiver(): Promise<Figure[]> {
  let handled = 0;
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: () => void (handled += 1) });
  let next = 0;
  const createBodies = (): string[] =>
    Array.from({ length: CALLS }, () => writeBody(300, `pay_test_${(next += 1)}`));

  const deliver = async (): Promise<number> => {
    const deliveries = createBodies().map((body) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-signature': sign(body, SECRET) },
      read: () => Buffer.from(body),
    }));
    const before = handled;
    const time = await timeEach(deliveries, (delivery) => receive.deliver(delivery));
    if (handled - before !== CALLS) throw new Error('an event was not handled');
    return time;
  };
  const request = async (): Promise<number> => {
    const requests = createBodies().map((body) => {
      const headers = { 'x-service-signature': sign(body, SECRET) };
      return new Request('http://localhost/', { method: 'POST', headers, body });
    });
    return timeEach(requests, (each) => receive(each));
  };
  const times = await runRounds({ deliver, request, stripe: createPeer(createBodies) }, ROUNDS);
  return [
    createFigure(
      'receiver.deliver with parse and memory dedupe: speed, to stripe.webhooks.constructEvent',
      ratios(times.stripe, times.deliver),
      { goal: { atLeast: 1.5 } },
    ),
    createFigure('receiver of a fetch Request: speed, to the same', ratios(times.stripe, times.request)),
    createFigure('receiver.deliver: time', times.deliver, { unit: ' µs' }),
    createFigure('stripe.webhooks.constructEvent: time', times.stripe, { unit: ' µs' }),
  ];
}

function createPeer(createBodies: () => string[]): () => Promise<number> {
  const { webhooks } = new Stripe('sk_test_of_a_benchmark');
  return async () => {
    const signed = createBodies().map((payload) => ({
      payload: Buffer.from(payload),
      header: webhooks.generateTestHeaderString({ payload, secret: SECRET }),
    }));
    return timeEach(signed, async ({ payload, header }) => webhooks.constructEvent(payload, header, SECRET));
  };
}

async function timeEach<Item>(
  items: readonly Item[],
  call: (item: Item) => Promise<unknown>,
): Promise<number> {
  const start = performance.now();
  for (const item of items) await call(item);
  return ((performance.now() - start) * 1_000) / items.length;
}
