import { expect } from 'vitest';
import {
  createDuplicateGuard,
  createMemoryStore,
  isPaymentOutcomeUnknownError,
  type PaymentOutcomeUnknownError,
} from '@service/sdk';
import { type Behaviour, errorOf, isTyped, order, refusal, type World } from './world.ts';

type Kind = 'reset_before_commit' | 'reset_after_commit';

/** Loses the answer to a create, before or after the payment was made. */
async function lose({ mock, service }: World, kind: Kind, options = {}): Promise<PaymentOutcomeUnknownError> {
  mock.sandbox.faults.inject({ operation: 'createPayment', kind });
  const error: unknown = await errorOf(service.payments.create(order, options));
  if (isPaymentOutcomeUnknownError(error)) return error;
  throw new Error('the create was to end in doubt', { cause: error });
}

/** Lists the ids of the payments that were made, each once. */
function madeIn({ mock }: World): readonly string[] {
  const requests = mock.sandbox.requests.list({ operation: 'createPayment' });
  const ids = requests.map(({ effects }) => effects.payment_id);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** Tells whether records name their payments, so that one can be found by them. */
function namesPayments({ profile }: World): boolean {
  return profile.transactionShape === 'full';
}

/** Lists what the client does about creates that nobody knows the end of. */
export const doubt: readonly Behaviour[] = [
  {
    name: 'a create whose answer is lost is sent once, and found by reconciling where records tell',
    async run(world) {
      const { service, posts, profile } = world;
      const error = await lose(world, 'reset_after_commit');
      expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, amount: '100.00', purpose: 'INV-42' });
      const [id] = madeIn(world);
      // A debit that comes later leaves no record yet.
      const isRecorded = profile.debitAt === 'create';
      const answer = await service.payments.reconcile(error);
      if (!isRecorded) expect(answer).toEqual({ result: 'not_found_yet' });
      else if (namesPayments(world)) expect(answer).toMatchObject({ result: 'found', payment: { id } });
      else expect(answer).toEqual({ result: 'cannot_tell' });
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'once the payment is completed its record is there to be found',
    async run(world) {
      const error = await lose(world, 'reset_after_commit');
      const [id = ''] = madeIn(world);
      world.mock.sandbox.payments.complete(id);
      const answer = await world.service.payments.reconcile({ ...order, since: error.sentAt });
      if (namesPayments(world)) expect(answer).toMatchObject({ result: 'found', payment: { id } });
      else expect(answer).toEqual({ result: 'cannot_tell' });
    },
  },
  {
    name: 'a create that was lost on its way is in doubt too, and not found yet',
    async run(world) {
      const error = await lose(world, 'reset_before_commit');
      expect(madeIn(world)).toEqual([]);
      expect(await world.service.payments.reconcile(error)).toEqual({ result: 'not_found_yet' });
      expect(world.posts()).toBe(1);
    },
  },
  {
    name: 'a create is not sent again after a failure of the service',
    async run(world) {
      const { service, mock, posts } = world;
      for (const status of [500, 502, 503, 504]) {
        mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'status', status });
        const error = await errorOf(service.payments.create(order));
        expect(error).toMatchObject({
          name: 'PaymentOutcomeUnknownError',
          status,
          attempts: 1,
          cause: { name: 'ServerError', outcome: 'unknown' },
        });
      }
      expect({ posts: posts(), made: madeIn(world) }).toEqual({ posts: 4, made: [] });
    },
  },
  {
    name: 'a create is sent again after 429, where the service itself says so',
    async run(world) {
      const { service, mock, posts, profile } = world;
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'rate_limit', retryAfter: 0 });
      const asked = service.payments.create(order);
      if (isTyped(profile)) {
        expect(await asked).toMatchObject({ status: 'pending' });
        expect({ posts: posts(), made: madeIn(world).length }).toEqual({ posts: 2, made: 1 });
      } else {
        expect(await errorOf(asked)).toMatchObject(refusal(profile, { name: 'RateLimitError', status: 429 }));
        expect({ posts: posts(), made: madeIn(world).length }).toEqual({ posts: 1, made: 0 });
      }
    },
  },
  {
    name: 'each request of a create has one idempotency key where the service is known to replay keys',
    async run(world) {
      const { open, mock, posts, profile, fetch: carry } = world;
      const keys: (string | null)[] = [];
      const fetch = async (request: Request): Promise<Response> => {
        keys.push(request.headers.get('idempotency-key'));
        return carry(request);
      };
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'reset_after_commit' });
      const asked = open({ fetch, serviceIdempotency: 'replayed', keyRetention: 86_400_000 }).payments.create(
        order,
      );
      if (profile.idempotency === 'conflict') {
        expect(await errorOf(asked)).toMatchObject({ name: 'PaymentOutcomeUnknownError', status: 409 });
      } else {
        const { id } = await asked;
        expect(madeIn(world)).toContain(id);
      }
      expect(posts()).toBe(2);
      expect(keys[0]).toMatch(/^[\x21-\x7e]{1,255}$/);
      expect(keys).toEqual([keys[0], keys[0]]);
      // Where it was wrong to say so, this is the price, as the option warns.
      expect(madeIn(world)).toHaveLength(profile.idempotency === 'ignored' ? 2 : 1);
    },
  },
  {
    name: 'each create has an idempotency key of its own',
    async run({ open, fetch: carry }) {
      const keys: (string | null)[] = [];
      const fetch = async (request: Request): Promise<Response> => {
        keys.push(request.headers.get('idempotency-key'));
        return carry(request);
      };
      const service = open({ fetch });
      await service.payments.create(order);
      await service.payments.create(order);
      await service.payments.create(order, { idempotencyKey: 'order-42' });
      await open({ fetch, idempotencyKeys: 'omit' }).payments.create(order);
      const uuid: unknown = expect.stringMatching(/^[\da-f-]{36}$/);
      expect(keys).toEqual([uuid, uuid, 'order-42', null]);
      expect(keys[0]).not.toBe(keys[1]);
    },
  },
  {
    name: 'an idempotency key with another body makes nothing, where the service looks at it',
    async run({ service, profile }) {
      const idempotencyKey = 'order-42';
      const { id } = await service.payments.create(order, { idempotencyKey });
      const asked = service.payments.create({ ...order, amount: '5.00' }, { idempotencyKey });
      if (profile.idempotency === 'ignored') {
        expect((await asked).id).not.toBe(id);
        return;
      }
      // Without a type, the refusal may as well be about a copy of this request.
      expect(await errorOf(asked)).toMatchObject(
        isTyped(profile)
          ? refusal(profile, { name: 'IdempotencyError', status: 422 })
          : { name: 'PaymentOutcomeUnknownError', status: 422 },
      );
    },
  },
  {
    name: 'a duplicate guard gives the payment back that a reference has',
    async run({ open, posts }) {
      const service = open({ duplicateGuard: createDuplicateGuard(createMemoryStore()) });
      const reference = 'order-42';
      const { id } = await service.payments.create(order, { reference });
      expect(await service.payments.create(order, { reference })).toMatchObject({ id });
      const other = service.payments.create({ ...order, amount: '5.00' }, { reference });
      expect(await errorOf(other)).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'a duplicate guard refuses a reference in doubt until its payment is found',
    async run(world) {
      const service = world.open({ duplicateGuard: createDuplicateGuard(createMemoryStore()) });
      const reference = 'order-42';
      const error = await lose({ ...world, service }, 'reset_after_commit', { reference });
      const again = (): Promise<unknown> => service.payments.create(order, { reference });
      expect(await errorOf(again())).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
      const [id = ''] = madeIn(world);
      world.mock.sandbox.payments.complete(id);
      await service.payments.reconcile(error);
      if (namesPayments(world)) expect(await again()).toMatchObject({ id });
      else expect(await errorOf(again())).toMatchObject({ name: 'IdempotencyError', outcome: 'not_sent' });
      expect(world.posts()).toBe(1);
    },
  },
];
