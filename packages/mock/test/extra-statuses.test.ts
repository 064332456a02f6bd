import { createMock, type Mock, type ProfileChoice, SandboxError } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { openProfile } from './support.ts';

// Statuses that a profile adds. Their responses deviate from openapi.yaml, so they are not checked against it.

const inReview = {
  status: 'in_review',
  after: 'pending',
  amount: { from: '5000.00' },
  duration: '10s',
} as const;

interface Sent {
  readonly event: string;
  readonly data: { readonly status: string };
}

function open(profile: ProfileChoice): {
  mock: Mock;
  sent: Sent[];
  pay: (fields?: Record<string, unknown>) => Promise<string>;
  list: (query: string) => Promise<{ status: number; rows: { status: string }[] }>;
} {
  const { mock, get, pay } = openProfile(profile);
  const sent: Sent[] = [];
  mock.sandbox.webhooks.collect({
    receive: async (request) => {
      sent.push((await request.json()) as Sent);
      return new Response(null, { status: 200 });
    },
  });
  return {
    mock,
    sent,
    pay: async (fields) => (await pay(fields)).json.data.id as string,
    list: async (query) => {
      const { status, json } = await get(`/transactions?${query}`);
      return { status, rows: json.data?.transactions ?? [] };
    },
  };
}

describe('an extra status', () => {
  it('sends its event in order, in the form of the profile', async () => {
    const { mock, pay, sent } = open({
      extraStatuses: [inReview],
      eventShape: { event: 'payment.{status}', data: { status: '{status in_review=IN_REVIEW}' } },
    });
    await pay({ amount: 5000 });
    await mock.sandbox.clock.advance('1m');
    expect(sent.map(({ event, data }) => [event, data.status])).toEqual([
      ['payment.pending', 'pending'],
      ['payment.in_review', 'IN_REVIEW'],
      ['payment.processing', 'processing'],
      ['payment.completed', 'completed'],
    ]);
    expect(mock.sandbox.webhooks.deliveries().map(({ event }) => event)).toContain('payment.in_review');
  });

  it('sends no event with `webhook: false`', async () => {
    const { mock, pay, sent } = open({ extraStatuses: [{ ...inReview, webhook: false }] });
    await pay({ amount: 5000 });
    await mock.sandbox.clock.advance('1m');
    expect(sent.map(({ event }) => event)).toEqual([
      'payment.pending',
      'payment.processing',
      'payment.completed',
    ]);
  });

  it('is a filter of the transaction list', async () => {
    const { mock, pay, list } = open({
      extraStatuses: [inReview, { status: 'held', after: 'pending', name: { equals: 'Held Ltd' } }],
    });
    await pay({ amount: 5000 });
    await pay({ amount: 50, beneficiary_name: 'Held Ltd' });
    await pay({ amount: 50 });
    expect((await list('status=in_review')).rows).toEqual([]);
    await mock.sandbox.clock.advance('2s');
    const rowsOf = async (status: string): Promise<string[]> =>
      (await list(`status=${status}`)).rows.map((row) => row.status);
    expect(await rowsOf('in_review')).toEqual(['in_review']);
    expect(await rowsOf('held')).toEqual(['held']);
    expect(await rowsOf('processing')).toEqual(['processing']);
    expect((await list('status=elsewhere')).status).toBe(422);
  });

  it('is a status of payments that a test creates and moves', () => {
    const { mock } = open({ extraStatuses: [inReview] });
    const input = { from_currency: 'USD', to_currency: 'EUR', beneficiary_name: 'Acme' };
    const { id, status } = mock.sandbox.payments.create({ ...input, amount: '6000.00', status: 'in_review' });
    expect(status).toBe('in_review');
    expect(mock.sandbox.payments.advance(id).status).toBe('processing');
    const other = mock.sandbox.payments.create({ ...input, amount: '6000.00' });
    expect(mock.sandbox.payments.complete(other.id).status).toBe('completed');
    expect(() => mock.sandbox.payments.create({ ...input, amount: '5.00', status: 'in_review' })).toThrow(
      'A payment is never in_review with the profile of this account.',
    );
  });

  it.each<[unknown, string]>([
    [[{ after: 'pending' }], 'extraStatuses[0].status is missing: it must be a name such as'],
    [[{ status: 'in_review' }], "extraStatuses[0].after is missing: it must be 'pending' or"],
    [[{ ...inReview, status: 'completed' }], 'extraStatuses[0].status must be a name such as'],
    [[{ ...inReview, amountFrom: '5000.00' }], 'extraStatuses[0] has no field "amountFrom"'],
    [[inReview, inReview], 'extraStatuses has the status "in_review" twice'],
    [{ in_review: 'pending' }, 'extraStatuses must be a list of statuses such as'],
  ])('rejects %j', (extraStatuses, message) => {
    const profile = { extraStatuses } as ProfileChoice;
    expect(() => createMock({ profile })).toThrow(SandboxError);
    expect(() => createMock({ profile })).toThrow(message);
  });
});

describe('the name of an event or status in the control API', () => {
  it('can be that of an extra status, but no documented one with a typing error', () => {
    const { mock } = open({ extraStatuses: [inReview] });
    const { faults } = mock.sandbox;
    faults.inject({ target: 'delivery', kind: 'drop', event: 'payment.in_review' });
    expect(faults.list()).toMatchObject([{ event: 'payment.in_review' }]);
    expect(() => faults.inject({ target: 'delivery', kind: 'drop', event: 'payment.complete' })).toThrow(
      'event must be one of payment.pending',
    );
  });
});
