// Runs in Node and in a real browser: `#ways` are the ways into a mock that the runtime has.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMock, faultKinds, type FaultOptions, type Mock } from '@service/mock';
import { createClient, type Payment, type ServiceError } from '@service/sdk';
import { ways } from '#ways';

type Ending = 'resolves' | 'rejected' | 'unknown';
type Case = { fault: FaultOptions; ending: Ending; isMade: boolean };

const cases: Case[] = [
  { fault: { kind: 'latency', ms: 20 }, ending: 'resolves', isMade: true },
  { fault: { kind: 'status', status: 422 }, ending: 'rejected', isMade: false },
  { fault: { kind: 'status', status: 500 }, ending: 'unknown', isMade: false },
  { fault: { kind: 'status', status: 503, commit: true }, ending: 'unknown', isMade: true },
  { fault: { kind: 'rate_limit' }, ending: 'rejected', isMade: false },
  { fault: { kind: 'html' }, ending: 'unknown', isMade: false },
  { fault: { kind: 'html', status: 200, commit: true }, ending: 'unknown', isMade: true },
  { fault: { kind: 'empty', commit: true }, ending: 'unknown', isMade: true },
  { fault: { kind: 'empty', status: 201, commit: true }, ending: 'unknown', isMade: true },
  // Its JSON is whole, and the client goes by that.
  { fault: { kind: 'wrong_content_type' }, ending: 'resolves', isMade: true },
  { fault: { kind: 'truncated' }, ending: 'unknown', isMade: true },
  { fault: { kind: 'stalled' }, ending: 'unknown', isMade: true },
  { fault: { kind: 'reset_before_commit' }, ending: 'unknown', isMade: false },
  { fault: { kind: 'reset_after_commit' }, ending: 'unknown', isMade: true },
  { fault: { kind: 'garbage' }, ending: 'unknown', isMade: true },
];

/** Creates a payment once; one whose answer says no more is given up when the sandbox has answered. */
async function create(
  mock: Mock,
  access: { baseUrl: string; fetch: typeof fetch },
): Promise<Payment | ServiceError> {
  const client = createClient({ apiKey: mock.account.testKey, allowBrowser: true, maxRetries: 0, ...access });
  const giveUp = new AbortController();
  const body = { from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'Acme' };
  const created = client.payments
    .create(body, { signal: giveUp.signal })
    .catch((error: ServiceError) => error);
  await mock.sandbox.requests.waitFor({ operation: 'createPayment', count: 1 });
  if (mock.sandbox.faults.list()[0]?.kind === 'stalled') giveUp.abort();
  return created;
}

it('meets every kind of fault', () => {
  expect(new Set(cases.map(({ fault }) => fault.kind))).toEqual(new Set(faultKinds));
});

describe.each(ways)('a create over $name', ({ enter }) => {
  it.each(cases)('under $fault ends $ending, and is sent once', async ({ fault, ending, isMade }) => {
    const mock = createMock({ clock: 'manual' });
    const { close, ...access } = await enter(mock);
    onTestFinished(close);
    mock.sandbox.faults.inject(fault);
    const result = await create(mock, access);
    const sent = mock.sandbox.requests.list({ method: 'POST' });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.fault?.kind).toBe(fault.kind);
    const made = sent[0]?.effects.payment_id;
    expect(made !== null).toBe(isMade);
    expect(result).toMatchObject(ending === 'resolves' ? { id: made } : { outcome: ending });
    expect(result instanceof Error).toBe(ending !== 'resolves');
  });
});
