import { expect, onTestFinished, vi } from 'vitest';
import type { Mock } from '@service/mock';
import { isValidSignature } from '@service/webhooks';
import { startReceiver } from './receiver.ts';
import { order } from './support.ts';

/** The server that `setupServer` of msw 2 and 3 returns; an unhandled request fails. */
interface Interception {
  use: (...handlers: never[]) => void;
  listen: (options: object) => void;
  close: () => void;
}

interface Loaded {
  mock: typeof import('@service/mock');
  msw: typeof import('@service/mock/msw');
}

async function load(): Promise<Loaded> {
  vi.resetModules();
  return { mock: await import('@service/mock'), msw: await import('@service/mock/msw') };
}

/** The results of three events and of a request of the test itself. */
interface Outcome {
  results: unknown[];
  verified: boolean[];
  own: string;
}

/** The results if deliveries bypass an active interception. */
export const bypassed: Outcome = {
  results: Array.from({ length: 3 }, () => ({ outcome: 'acknowledged', httpStatus: 200 })),
  verified: [true, true, true],
  own: 'refused',
};

/**
 * Creates payments through an interception that rejects other requests, and sends the events to a real
 * receiver.
 */
export async function sendThrough(server: Interception, isFirst: boolean): Promise<Outcome> {
  const options = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' };
  const intercept = (): void => {
    server.listen(options);
    onTestFinished(() => server.close());
  };
  const { url, received } = await startReceiver();
  if (isFirst) intercept();
  const { mock: core, msw } = await load();
  if (!isFirst) intercept();
  const mock = core.createMock({ clock: 'manual' });
  onTestFinished(() => mock.close());
  server.use(...(msw.createHandlers(mock) as never[]));
  const { secret } = mock.sandbox.webhooks.setEndpoint({ url });
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body: JSON.stringify(order()) });
  await mock.sandbox.clock.advance('4s');
  return {
    results: mock.sandbox.webhooks.deliveries().map(({ attempts }) => attempts[0]?.result),
    verified: received.map(({ body, signature }) => isValidSignature(body, signature, secret)),
    own: await sendMyself(url),
  };
}

/** Sends a request of the test itself to the receiver, which the interception must reject. */
async function sendMyself(url: string): Promise<string> {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const answered = await fetch(url, { method: 'POST', body: '{"event":"mine"}' }).then(
    () => 'answered',
    () => 'refused',
  );
  expect(String(error.mock.calls[0])).toContain(`POST ${url}`);
  return answered;
}

/** Creates of every kind of response: their fields, and the status. */
export const creates = [
  ['a create', {}, 201],
  ['a create that is rejected', { amount: -1 }, 422],
  ['a create over 64 KiB', { purpose: 'x'.repeat(200_000) }, 413],
] as const;

/** Sends a create through an interception, and checks that the listeners of its life cycle can read the request. */
export async function expectReadable(
  server: { readonly events: object },
  mock: Mock,
  fields: object,
): Promise<number> {
  const events = server.events as {
    on: (event: string, listener: (facts: { request: Request }) => void) => void;
  };
  const read: Promise<string>[] = [];
  for (const event of ['request:start', 'request:match', 'request:end', 'response:mocked'])
    events.on(event, ({ request }) => void read.push(request.clone().text()));
  const body = JSON.stringify(order({ ...fields }));
  const headers = { 'content-type': 'application/json', 'x-api-key': mock.account.testKey };
  const { status } = await fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body });
  await expect.poll(() => read.length).toBe(4);
  expect(await Promise.all(read)).toEqual([body, body, body, body]);
  return status;
}
