import { expect } from 'vitest';
import { exact, type Payment } from '@service/sdk';
import { createVerifier } from '@service/webhooks';
import { type Behaviour, errorOf, order, refusal, type World } from './world.ts';

/** Makes time pass in the sandbox whenever a client looks. */
function openWaiting({ mock, open, fetch: carry }: World): ReturnType<World['open']> {
  return open({
    fetch: async (request: Request) => {
      const answer = await carry(request);
      await mock.sandbox.clock.advance('1s');
      return answer;
    },
  });
}

/** Lists the statuses that are seen by who looks every second. */
function statusesUnder({ transitions, unknownStatus }: World['profile']): string[] {
  if (transitions === 'skip') return ['pending', 'completed'];
  return ['pending', 'processing', ...(unknownStatus === 'invented' ? ['under_review'] : []), 'completed'];
}

/** Lists what the client does about payments whose answers arrive. */
export const payments: readonly Behaviour[] = [
  {
    name: 'a payment is created, and read again as it was',
    async run({ service, profile, warnings, posts }) {
      const details = { beneficiary_bank: 'Deutsche Bank', beneficiary_account: 'DE89370400440532013000' };
      const body = { ...order, ...details, beneficiary_country: 'DE' };
      const { data, response } = await service.payments.create(body).withResponse();
      expect(response.status).toBe(profile.createStatus);
      expect(data).toMatchObject({ status: 'pending', send_amount: 100, purpose: 'INV-42' });
      expect(data.beneficiary).toEqual({
        name: 'Acme Supplies Ltd',
        bank: 'Deutsche Bank',
        account: 'DE89370400440532013000',
        country: 'DE',
      });
      expect(Number(exact(data, 'send_amount'))).toBeCloseTo(100, 9);
      expect(await service.payments.retrieve(data.id)).toEqual(data);
      expect({ warnings, posts: posts() }).toEqual({ warnings: [], posts: 1 });
    },
  },
  {
    name: 'what was left out is null, however the service says so',
    async run({ service }) {
      const { purpose: _, ...body } = order;
      const payment = await service.payments.create(body);
      expect(payment.purpose).toBeNull();
      expect(payment.beneficiary).toEqual({
        name: order.beneficiary_name,
        bank: null,
        account: null,
        country: null,
      });
    },
  },
  {
    name: 'waiting ends when the payment is final, whatever it was before',
    async run(world) {
      const waiting = openWaiting(world);
      const { id } = await waiting.payments.create(order);
      const seen: string[] = [];
      const onStatus = ({ status }: Payment): void => void seen.push(status);
      const final = await waiting.payments.waitFor(id, { pollInterval: 1, onStatus });
      expect({ seen: ['pending', ...seen.filter((one) => one !== 'pending')], status: final.status }).toEqual(
        {
          seen: statusesUnder(world.profile),
          status: 'completed',
        },
      );
    },
  },
  {
    name: 'waiting for a status that is passed over ends with the final one',
    async run(world) {
      const waiting = openWaiting(world);
      const { id } = await waiting.payments.create(order);
      const { status } = await waiting.payments.waitFor(id, { until: 'processing', pollInterval: 1 });
      expect(status).toBe(world.profile.transitions === 'skip' ? 'completed' : 'processing');
    },
  },
  {
    name: 'a payment that failed is a result',
    async run({ service, mock }) {
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.fail(id);
      expect(await service.payments.waitFor(id)).toMatchObject({ id, status: 'failed' });
    },
  },
  {
    name: 'waiting survives answers that fail',
    async run({ service, mock }) {
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.complete(id);
      mock.sandbox.faults.inject({ operation: 'getPayment', kind: 'reset_before_commit' });
      mock.sandbox.faults.inject({ operation: 'getPayment', kind: 'html', status: 503 });
      expect(await service.payments.waitFor(id, { pollInterval: 1 })).toMatchObject({ status: 'completed' });
    },
  },
  {
    name: 'news of a payment ends the pause of who waits for it',
    async run({ service, mock }) {
      const { id } = await service.payments.create(order);
      const final = await service.payments.waitFor(id, {
        pollInterval: 50_000,
        onStatus: async ({ status }) => {
          if (status !== 'pending') return;
          mock.sandbox.payments.complete(id);
          service.payments.notify({ data: { id } });
        },
      });
      expect(final.status).toBe('completed');
    },
  },
  {
    name: 'events that were verified are such news, and waiting does not depend on them',
    async run({ service, mock, profile }) {
      const { secret } = mock.sandbox.webhooks.collect();
      const verifier = createVerifier({ secrets: secret, mode: 'test' });
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.complete(id);
      await mock.sandbox.idle();
      const events = mock.sandbox.webhooks
        .collected()
        .map(({ body, headers }) => verifier.verify(body, headers));
      expect(events.some(({ event }) => event === 'payment.completed')).toBe(
        profile.events.includes('completed'),
      );
      const waiting = service.payments.waitFor(id);
      for (const event of events) if (event.kind === 'payment') service.payments.notify(event);
      expect(await waiting).toMatchObject({ id, status: 'completed' });
    },
  },
  {
    name: 'a wallet that holds too little refuses, and nothing is made',
    async run({ service, mock, profile, posts }) {
      const error = await errorOf(service.payments.create({ ...order, amount: '999999.00' }));
      const name = ['bare', 'html'].includes(profile.errorShape)
        ? 'ValidationError'
        : 'InsufficientFundsError';
      expect(error).toMatchObject(refusal(profile, { name, status: 422 }));
      expect(posts()).toBe(1);
      const { balances } = await service.balance.retrieve();
      expect(balances.find(({ currency }) => currency === 'USD')?.balance).toBe(100_000);
      expect(mock.sandbox.requests.list({ operation: 'createPayment' })[0]?.effects.payment_id).toBeNull();
    },
  },
  {
    name: 'more decimals leave only where that was asked for, and another amount in the answer is flagged',
    async run({ open, profile, service, warnings, posts }) {
      const fine = { ...order, amount: '10.006' };
      expect(await errorOf(service.payments.create(fine))).toMatchObject({ outcome: 'not_sent' });
      expect(posts()).toBe(0);
      const asked = open({ maxDecimals: 3 }).payments.create(fine);
      if (profile.excessPrecision === 'reject') {
        expect(await errorOf(asked)).toMatchObject(
          refusal(profile, { name: 'ValidationError', status: 422 }),
        );
      } else {
        expect((await asked).send_amount).toBe(profile.excessPrecision === 'round' ? 10.01 : 10);
        expect(warnings).toEqual(['other_amount']);
      }
    },
  },
  {
    name: 'a misspelt field never leaves',
    async run({ service, posts }) {
      const misspelt = { ...order, beneficary_account: 'DE89370400440532013000' };
      expect(await errorOf(service.payments.create(misspelt))).toMatchObject({
        name: 'ValidationError',
        outcome: 'not_sent',
        message: expect.stringContaining('beneficiary_account'),
      });
      expect(posts()).toBe(0);
    },
  },
  {
    name: 'balances are numbers, and less by what was paid',
    async run({ service, mock, profile }) {
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.complete(id);
      const balance = await service.balance.retrieve();
      const wallet = balance.balances.find(({ currency }) => currency === 'USD')!;
      expect(wallet.balance).toBe(profile.feeMode === 'onTop' ? 99_899.5 : 99_900);
      expect(Number(exact(wallet, 'balance'))).toBeCloseTo(wallet.balance, 9);
    },
  },
];
