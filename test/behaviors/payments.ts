import { expect } from 'vitest';
import { rawAmount, type Payment } from '@service/sdk';
import { createVerifier } from '@service/webhooks';
import {
  type Behavior,
  errorOf,
  feeOf,
  order,
  expectedRejection,
  isTyped,
  type BehaviorContext,
} from './context.ts';

/** Creates a client whose every request advances the sandbox clock by 1 s. */
function openPolling({
  mock,
  open,
  fetch: originalFetch,
}: BehaviorContext): ReturnType<BehaviorContext['open']> {
  return open({
    fetch: async (request: Request) => {
      const response = await originalFetch(request);
      await mock.sandbox.clock.advance('1s');
      return response;
    },
  });
}

/** Returns the statuses of a payment that is polled every second. */
function statusesUnder({ statuses }: BehaviorContext['profile']): string[] {
  return ['pending', ...(statuses.path === 'skip' ? [] : ['processing']), 'completed'];
}

/** Behaviors of payments with a complete response. */
export const payments: readonly Behavior[] = [
  {
    name: 'payments.create and payments.retrieve return the same payment',
    async run({ service, profile, warnings, posts }) {
      const details = { beneficiary_bank: 'Deutsche Bank', beneficiary_account: 'DE89370400440532013000' };
      const body = { ...order, ...details, beneficiary_country: 'DE' };
      const { data, response } = await service.payments.create(body).withResponse();
      expect(response.status).toBe(profile.successStatus.createPayment);
      expect(data).toMatchObject({ status: 'pending', send_amount: 100, purpose: 'INV-42' });
      expect(data.beneficiary).toEqual({
        name: 'Acme Supplies Ltd',
        bank: 'Deutsche Bank',
        account: 'DE89370400440532013000',
        country: 'DE',
      });
      expect(Number(rawAmount(data, 'send_amount'))).toBeCloseTo(100, 9);
      expect(await service.payments.retrieve(data.id)).toEqual(data);
      expect({ warnings, posts: posts() }).toEqual({ warnings: [], posts: 1 });
    },
  },
  {
    name: 'omitted fields are null in every representation of the service',
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
    name: 'waitFor resolves with the final status and reports the statuses before it',
    async run(context) {
      const polling = openPolling(context);
      const { id } = await polling.payments.create(order);
      const statuses: string[] = [];
      const onStatus = ({ status }: Payment): void => void statuses.push(status);
      const final = await polling.payments.waitFor(id, { pollInterval: 1, onStatus });
      expect({
        statuses: ['pending', ...statuses.filter((each) => each !== 'pending')],
        status: final.status,
      }).toEqual({
        statuses: statusesUnder(context.profile),
        status: 'completed',
      });
    },
  },
  {
    name: 'waitFor with a skipped status resolves with the final one',
    async run(context) {
      const polling = openPolling(context);
      const { id } = await polling.payments.create(order);
      const { status } = await polling.payments.waitFor(id, { until: 'processing', pollInterval: 1 });
      expect(status).toBe(context.profile.statuses.path === 'skip' ? 'completed' : 'processing');
    },
  },
  {
    name: 'waitFor resolves with a failed payment',
    async run({ service, mock }) {
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.fail(id);
      expect(await service.payments.waitFor(id)).toMatchObject({ id, status: 'failed' });
    },
  },
  {
    name: 'waitFor works without events',
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
      expect(await service.payments.waitFor(id)).toMatchObject({ id, status: 'completed' });
    },
  },
  {
    name: 'an insufficient balance rejects the create without a payment',
    async run({ service, mock, profile, posts }) {
      const error = await errorOf(service.payments.create({ ...order, amount: '999999.00' }));
      const name = isTyped(profile, 'insufficient_funds') ? 'InsufficientFundsError' : 'ValidationError';
      expect(error).toMatchObject(expectedRejection(profile, { name, status: 422 }, 'insufficient_funds'));
      expect(posts()).toBe(1);
      const { balances } = await service.balance.retrieve();
      expect(balances.find(({ currency }) => currency === 'USD')?.balance).toBe(100_000);
      expect(mock.sandbox.requests.list({ operation: 'createPayment' })[0]?.effects.payment_id).toBeNull();
    },
  },
  {
    name: 'balances are numbers and are reduced by the payment',
    async run({ service, mock, profile }) {
      const { id } = await service.payments.create(order);
      mock.sandbox.payments.complete(id);
      const balance = await service.balance.retrieve();
      const wallet = balance.balances.find(({ currency }) => currency === 'USD')!;
      expect(wallet.balance).toBe(99_900 - (profile.fees.mode === 'onTop' ? feeOf(profile, 100) : 0));
      expect(Number(rawAmount(wallet, 'balance'))).toBeCloseTo(wallet.balance, 9);
    },
  },
];
