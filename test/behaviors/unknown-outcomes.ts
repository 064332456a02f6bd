import { expect } from 'vitest';
import { PaymentOutcomeUnknownError } from '@service/sdk';
import { createPayer, memoryStore } from '@service/sdk/payer';
import {
  type Behavior,
  errorOf,
  isTyped,
  order,
  expectedRejection,
  type BehaviorContext,
} from './context.ts';

type Kind = 'reset_before_commit' | 'reset_after_commit';

/**
 * Creates a payment whose response is lost, before or after the commit.
 *
 * @throws {Error} when the create has another result
 */
async function loseResponse(
  { mock, service }: BehaviorContext,
  kind: Kind,
): Promise<PaymentOutcomeUnknownError> {
  mock.sandbox.faults.inject({ operation: 'createPayment', kind });
  const error: unknown = await errorOf(service.payments.create(order));
  if (error instanceof PaymentOutcomeUnknownError) return error;
  throw new Error('Expected a create with an unknown outcome.', { cause: error });
}

/** Returns the ids of all created payments. */
function createdIn({ mock }: BehaviorContext): readonly string[] {
  const requests = mock.sandbox.requests.list({ operation: 'createPayment' });
  const ids = requests.map(({ effects }) => effects.payment_id);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** Returns whether transactions have the ids of their payments. */
function hasPaymentIds({ profile }: BehaviorContext): boolean {
  return profile.rows !== 'minimal';
}

/** The `readLag` of a client without the option, in milliseconds, for `reconcile`. */
const READ_LAG = 60_000;

/** Behaviors of reconcile while reads of the service lag behind, or not. */
export const readLagBehaviors: readonly Behavior[] = [
  {
    name: 'reconcile never reports not_found_yet for a payment that exists',
    async run(context) {
      const { mock, service } = context;
      const error = await loseResponse(context, 'reset_after_commit');
      const [id] = createdIn(context);
      const results: string[] = [];
      for (let time = 0; time < READ_LAG; time = 2 * time + 100) {
        const { result } = await service.payments.reconcile(error);
        results.push(result);
        await mock.sandbox.clock.advance(time + 100);
      }
      const last = await service.payments.reconcile(error);
      expect(results).not.toContain('not_found_yet');
      if (hasPaymentIds(context)) expect(last).toMatchObject({ result: 'found', payment: { id } });
      else expect(last).toEqual({ result: 'cannot_tell', reason: 'unclear_records' });
    },
  },
  {
    name: 'reconcile reports not_found_yet for a create without a payment once its read lag has passed',
    async run(context) {
      const { mock, service, posts } = context;
      const error = await loseResponse(context, 'reset_before_commit');
      expect(createdIn(context)).toEqual([]);
      const searchAgainAt = new Date(Date.parse(error.failedAt) + READ_LAG).toISOString();
      const early = { result: 'cannot_tell', reason: 'read_lag', searchAgainAt };
      expect(await service.payments.reconcile(error)).toEqual(early);
      await mock.sandbox.clock.advance(READ_LAG - 1);
      expect(await service.payments.reconcile(error)).toEqual(early);
      await mock.sandbox.clock.advance(1);
      expect(await service.payments.reconcile(error)).toEqual({
        result: 'not_found_yet',
        reason: 'no_record',
      });
      expect(posts()).toBe(1);
    },
  },
];

/** Behaviors of creates with an unknown outcome. */
export const unknownOutcomes: readonly Behavior[] = [
  {
    name: 'a create with a lost response is sent once, and reconcile finds it by its transaction',
    async run(context) {
      const { service, posts, profile } = context;
      const error = await loseResponse(context, 'reset_after_commit');
      expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
      expect(error).toHaveProperty('sent', expect.objectContaining({ amount: '100.00', purpose: 'INV-42' }));
      const [id] = createdIn(context);
      // A later debit has no transaction yet.
      const isRecorded = profile.debitAt.status === 'create';
      const result = await service.payments.reconcile(error);
      if (isRecorded && hasPaymentIds(context))
        expect(result).toMatchObject({ result: 'found', payment: { id } });
      else expect(result).toMatchObject({ result: 'cannot_tell', reason: 'read_lag' });
      expect(posts()).toBe(1);
    },
  },
  {
    name: 'reconcile finds a completed payment by its body and time',
    async run(context) {
      const error = await loseResponse(context, 'reset_after_commit');
      const [id = ''] = createdIn(context);
      context.mock.sandbox.payments.complete(id);
      const create = { ...order, since: error.sentAt };
      const result = await context.service.payments.reconcile(create, { exclude: [] });
      if (hasPaymentIds(context)) expect(result).toMatchObject({ result: 'found', payment: { id } });
      else expect(result).toMatchObject({ result: 'cannot_tell' });
    },
  },
  ...readLagBehaviors,
  {
    name: 'a create is retried after a typed 429',
    async run(context) {
      const { service, mock, posts, profile } = context;
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'rate_limit', retryAfter: 0 });
      const create = service.payments.create(order);
      if (isTyped(profile)) {
        expect(await create).toMatchObject({ status: 'pending' });
        expect({ posts: posts(), created: createdIn(context).length }).toEqual({ posts: 2, created: 1 });
      } else {
        expect(await errorOf(create)).toMatchObject(
          expectedRejection(profile, { name: 'RateLimitError', status: 429 }),
        );
        expect({ posts: posts(), created: createdIn(context).length }).toEqual({ posts: 1, created: 0 });
      }
    },
  },
  {
    name: 'a create with keyRetention is retried with the same idempotency key',
    async run(context) {
      const { open, mock, posts, profile, fetch: originalFetch } = context;
      const keys: (string | null)[] = [];
      const fetch = async (request: Request): Promise<Response> => {
        keys.push(request.headers.get('idempotency-key'));
        return originalFetch(request);
      };
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'reset_after_commit' });
      const create = open({
        fetch,
        keyRetention: 86_400_000,
      }).payments.create(order);
      if (profile.idempotency === 'conflict') {
        expect(await errorOf(create)).toMatchObject({ name: 'PaymentOutcomeUnknownError', status: 409 });
      } else {
        const { id } = await create;
        expect(createdIn(context)).toContain(id);
      }
      expect(posts()).toBe(2);
      expect(keys[0]).toMatch(/^[\x21-\x7e]{1,255}$/);
      expect(keys).toEqual([keys[0], keys[0]]);
      // A wrong `keyRetention` causes a second payment, as the option documents.
      expect(createdIn(context)).toHaveLength(profile.idempotency === 'ignored' ? 2 : 1);
    },
  },
  {
    name: 'an idempotency key with another body is rejected if the service supports keys',
    async run({ service, profile }) {
      const idempotencyKey = 'order-42';
      const { id } = await service.payments.create(order, { idempotencyKey });
      const create = service.payments.create({ ...order, amount: '5.00' }, { idempotencyKey });
      if (profile.idempotency === 'ignored') {
        expect((await create).id).not.toBe(id);
        return;
      }
      if (profile.idempotency === 'replayedAny') {
        expect((await create).id).toBe(id);
        return;
      }
      // Without a type, the error may be the response to a repetition of this request.
      expect(await errorOf(create)).toMatchObject(
        isTyped(profile)
          ? expectedRejection(profile, { name: 'IdempotencyError', status: 422 })
          : { name: 'PaymentOutcomeUnknownError', status: 422 },
      );
    },
  },
  {
    name: 'a payer sends a reference with an unknown outcome once, and returns its payment when it is found',
    async run(context) {
      const { service, mock } = context;
      const payer = createPayer(service, { store: memoryStore() });
      mock.sandbox.faults.inject({ operation: 'createPayment', kind: 'reset_after_commit' });
      const unknown = { name: 'PaymentOutcomeUnknownError', outcome: 'unknown', reference: 'order-42' };
      expect(await errorOf(payer.pay('order-42', order))).toMatchObject(unknown);
      const [id = ''] = createdIn(context);
      mock.sandbox.payments.complete(id);
      const again = payer.pay('order-42', order);
      if (hasPaymentIds(context)) expect(await again).toMatchObject({ id });
      else expect(await errorOf(again)).toMatchObject({ ...unknown, phase: 'searched' });
      expect(context.posts()).toBe(1);
    },
  },
];
