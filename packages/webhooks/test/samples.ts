import { createHmac } from 'node:crypto';

export const SECRET = '9f2c61d0a1b34e7788c05d6e4f3a2b1c9f2c61d0a1b34e7788c05d6e4f3a2b1c';
export const OTHER_SECRET = 'another-signing-secret-of-the-same-account';

/** Writes the body of an event as the service sends it, with parts replaced. */
export function writeEvent({
  data = {},
  ...event
}: Record<string, unknown> & { data?: object } = {}): string {
  return JSON.stringify({
    event: 'payment.completed',
    created_at: '2026-01-31T12:00:00+00:00',
    ...event,
    data: {
      id: 'pay_test_4Zs81kQ0vYw2',
      status: 'completed',
      from_currency: 'USD',
      to_currency: 'EUR',
      send_amount: 1000.5,
      receive_amount: 916.69,
      mode: 'test',
      ...data,
    },
  });
}

/** Signs with node:crypto alone: the oracle that no code under test takes part in. */
export function signByOracle(body: string | Uint8Array, secret: string | Uint8Array = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Builds a delivery as the service sends it. */
export function createDelivery(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Request {
  return new Request('https://shop.example/webhooks', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-service-signature': signByOracle(body), ...headers },
  });
}

/** Returns what a promise rejects with; fails when it does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error,
  );
}

/** Returns what a function throws; fails when it does not. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('expected a throw');
}
