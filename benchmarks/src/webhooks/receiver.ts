import { createHmac, createSecretKey } from 'node:crypto';
import { Stripe } from 'stripe';
import { createReceiver, sign } from '../../../packages/webhooks/dist/index.js';
import { createFigure } from '../figure.ts';
import type { Figure } from '../figure.ts';
import { ratios, runRounds } from '../rounds.ts';
import type { Subject } from '../rounds.ts';
import { SECRET, writeBody } from './bodies.ts';

// Few calls per round: the garbage collector must not spend the measured time on prepared events.
const CALLS = 500;
const ROUNDS = 200;
const { webhooks } = new Stripe('sk_test_of_a_benchmark');

let next = 0;
let handled = 0;

/**
 * Compares a receiver that verifies, parses, checks the shape, claims, dispatches and confirms new events with
 * `stripe.webhooks.constructEvent`, which verifies and parses: first with raw bytes and headers, then with a fetch `Request`.
 */
export async function measureReceiver(): Promise<Figure[]> {
  const times = await runRounds(createSubjects(), ROUNDS);
  if (handled < 2 * CALLS * ROUNDS) throw new Error('The receiver did not handle every event.');
  const peer = 'stripe.webhooks.constructEvent';
  return [
    createFigure(
      `receiver.deliver with parse and memory dedupe: speed, to ${peer}`,
      ratios(times.stripe, times.deliver),
      { goal: { atLeast: 1.5 } },
    ),
    createFigure(`the bare hash and JSON.parse: speed, to ${peer}`, ratios(times.stripe, times.bare)),
    createFigure(
      `receiver of a fetch Request: speed, to a handler of text(), ${peer} and a Response`,
      ratios(times.stripeRequest, times.request),
      { goal: { atLeast: 1.5 } },
    ),
    createFigure('receiver.deliver: time', times.deliver, { unit: ' µs' }),
    createFigure(`${peer}: time`, times.stripe, { unit: ' µs' }),
    createFigure('the bare hash and JSON.parse: time', times.bare, { unit: ' µs' }),
    createFigure('receiver of a fetch Request: time', times.request, { unit: ' µs' }),
    createFigure(`a handler of text(), ${peer} and a Response: time`, times.stripeRequest, { unit: ' µs' }),
  ];
}

function createSubjects(): Record<'deliver' | 'bare' | 'stripe' | 'request' | 'stripeRequest', Subject> {
  const receive = createReceiver({ secrets: SECRET, on: {}, fallback: () => void (handled += 1) });
  const key = createSecretKey(Buffer.from(SECRET));
  return {
    deliver: timeEach(
      (body) => {
        const bytes = Buffer.from(body);
        const headers = { 'content-type': 'application/json', 'x-service-signature': sign(body, SECRET) };
        return { method: 'POST', headers, read: () => bytes };
      },
      (delivery) => receive.deliver(delivery),
    ),
    bare: timeEach(
      (body) => Buffer.from(body),
      async (bytes) => {
        createHmac('sha256', key).update(bytes).digest('hex');
        JSON.parse(bytes.toString());
      },
    ),
    stripe: timeEach(
      (body) => ({ payload: Buffer.from(body), header: signForPeer(body) }),
      async ({ payload, header }) => webhooks.constructEvent(payload, header, SECRET),
    ),
    request: timeEach(
      (body) => createRequest(body, { 'x-service-signature': sign(body, SECRET) }),
      (each) => receive(each),
    ),
    stripeRequest: timeEach(
      (body) => createRequest(body, { 'stripe-signature': signForPeer(body) }),
      async (each) => {
        webhooks.constructEvent(await each.text(), each.headers.get('stripe-signature') ?? '', SECRET);
        return new Response('received');
      },
    ),
  };
}

function signForPeer(payload: string): string {
  return webhooks.generateTestHeaderString({ payload, secret: SECRET });
}

function createRequest(body: string, headers: Record<string, string>): Request {
  return new Request('http://localhost/', { method: 'POST', headers, body });
}

/** Returns a subject that times calls with new, prepared events, in microseconds per call. */
function timeEach<Item>(prepare: (body: string) => Item, call: (item: Item) => Promise<unknown>): Subject {
  return async () => {
    const items = Array.from({ length: CALLS }, () => prepare(writeBody(300, `pay_test_${(next += 1)}`)));
    const start = performance.now();
    for (const item of items) await call(item);
    return ((performance.now() - start) * 1_000) / items.length;
  };
}
