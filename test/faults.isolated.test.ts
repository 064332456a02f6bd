// Runs in Node and in Chromium: `#transports` are the transports of the runtime.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, faultKinds, type FaultOptions, type Mock } from '@service/mock';
import { createClient, type Payment, type ServiceError } from '@service/sdk';
import { transports } from '#transports';

type Ending = 'resolves' | 'rejected' | 'unknown';
interface Case {
  fault: FaultOptions;
  ending: Ending;
  isCreated: boolean;
}

const cases: Case[] = [
  { fault: { kind: 'latency', ms: 20 }, ending: 'resolves', isCreated: true },
  { fault: { kind: 'status', status: 422 }, ending: 'rejected', isCreated: false },
  { fault: { kind: 'status', status: 500 }, ending: 'unknown', isCreated: false },
  { fault: { kind: 'status', status: 503, commit: true }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'rate_limit' }, ending: 'rejected', isCreated: false },
  { fault: { kind: 'html' }, ending: 'unknown', isCreated: false },
  { fault: { kind: 'html', status: 200, commit: true }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'empty', commit: true }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'empty', status: 201, commit: true }, ending: 'unknown', isCreated: true },
  // The client parses valid JSON of any Content-Type.
  { fault: { kind: 'wrong_content_type' }, ending: 'resolves', isCreated: true },
  { fault: { kind: 'truncated' }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'stalled' }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'reset_before_commit' }, ending: 'unknown', isCreated: false },
  { fault: { kind: 'reset_after_commit' }, ending: 'unknown', isCreated: true },
  { fault: { kind: 'garbage' }, ending: 'unknown', isCreated: true },
];

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

describe('fault cases of the client', () => {
  it('include every kind of fault', () => {
    expect(new Set(cases.map(({ fault }) => fault.kind))).toEqual(new Set(faultKinds));
  });
});

describe.each(transports)('payments.create over $name', ({ connect }) => {
  it.each(cases)(
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
