// Runs in Node and in Chromium: `#transports` are the transports of the runtime.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock } from '@service/mock';
import { createClient, type Payment, type ServiceError } from '@service/sdk';
import { transports } from '#transports';
import { faultCases } from './scenarios/faults.ts';

/** Creates a payment without retries. Aborts a stalled response after the sandbox has responded. */
async function create(
  mock: Mock,
  connection: { baseUrl: string; fetch: typeof fetch },
): Promise<Payment | ServiceError> {
  const client = createClient({
    apiKey: mock.account.testKey,
    allowBrowser: true,
    maxRetries: 0,
    ...connection,
  });
  const controller = new AbortController();
  const body = { from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'Acme' };
  const created = client.payments
    .create(body, { signal: controller.signal })
    .catch((error: ServiceError) => error);
  await mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 1 });
  if (mock.sandbox.faults.list()[0]?.kind === 'stalled') controller.abort();
  return created;
}

describe.each(transports)('payments.create over $name', ({ connect }) => {
  it.each(faultCases)(
    'is sent once and ends $ending with the fault $fault',
    async ({ fault, ending, isCreated }) => {
      const mock = createMock({ clock: 'manual' });
      const { close, ...connection } = await connect(mock);
      onTestFinished(close);
      mock.sandbox.faults.inject(fault);
      const result = await create(mock, connection);
      const sent = mock.sandbox.requests.list({ method: 'POST' });
      expect(sent).toHaveLength(1);
      expect(sent[0]?.fault?.kind).toBe(fault.kind);
      const paymentId = sent[0]?.effects.payment_id;
      expect(paymentId !== null).toBe(isCreated);
      expect(result).toMatchObject(ending === 'resolves' ? { id: paymentId } : { outcome: ending });
      expect(result instanceof Error).toBe(ending !== 'resolves');
    },
  );
});
