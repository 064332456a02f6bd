import { expect, onTestFinished, vi } from 'vitest';
import { isValidSignature } from '@service/webhooks';
import { startReceiver } from './receiver.ts';
import { order } from './support.ts';

/** The server that `setupServer` of msw 2 and 3 returns; an unhandled request fails. */
interface Interception {
  use: (...handlers: never[]) => void;
  listen: (options: object) => void;
  close: () => void;
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
  vi.resetModules();
  const { createMock } = await import('@service/mock');
  const { createHandlers } = await import('@service/mock/msw');
  if (!isFirst) intercept();
  const mock = createMock({ clock: 'manual' });
  onTestFinished(() => mock.close());
  server.use(...(createHandlers(mock) as never[]));
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
