import {
  AuthenticationError,
  InsufficientFundsError,
  isIdempotencyError,
  isPaymentOutcomeUnknownError,
  NotFoundError,
  ServiceError,
  ValidationError,
} from '@service/sdk';
import { describe, expect, it } from 'vitest';
import { CREATE, openService, order, paymentsTo, RETRIEVE, waitUntilVisible, styles } from './support.ts';

describe.each(styles)('payments of a Fastify service in %s style', (listStyle) => {
  it('are created, retrieved and waited for', async () => {
    const { service, client } = await openService({ listStyle });
    const created = await client.payments.create(order);
    expect(created).toMatchObject({ status: 'pending', send_amount: 100, purpose: 'INV-42' });
    const statuses: string[] = [];
    const onStatus = ({ status }: { status: string }): unknown => statuses.push(status);
    const final = await client.payments.waitFor(created.id, { onStatus, pollInterval: 10 });
    expect(final).toMatchObject({ id: created.id, status: 'completed', receive_amount: 92.31 });
    expect(statuses.at(-1)).toBe('completed');
    await expect(client.payments.retrieve(created.id)).resolves.toEqual(final);
    expect(service.ledger.payments.map((row) => row.id)).toEqual([created.id]);
  });

  it('resolve as failed if the service rejects the beneficiary account', async () => {
    const { service, client } = await openService({ listStyle });
    const { id } = await client.payments.create({ ...order, beneficiary_account: 'GB00000000' });
    await expect(client.payments.waitFor(id)).resolves.toMatchObject({ status: 'failed' });
    expect(service.ledger.balance('USD')).toBe(100_000_00);
  });
});

describe('payments.waitFor against a Fastify service', () => {
  it('waits through 2 s of read lag after the create', async () => {
    const { client } = await openService({ readLag: 2000 });
    const { id } = await client.payments.create(order);
    await expect(client.payments.waitFor(id)).resolves.toMatchObject({ id, status: 'completed' });
  });

  it('reports an unknown payment after the read lag', async () => {
    const { client } = await openService();
    const waiting = client.payments.waitFor('pay_test_0000000000000000', { readLag: 300, timeout: 20_000 });
    await expect(waiting).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('errors of a Fastify service', () => {
  it('have the fields that the service rejected', async () => {
    const { service, client } = await openService();
    const call = client.payments.create({ ...order, to_currency: 'XXX' });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      outcome: 'rejected',
      type: 'validation_error',
      status: 422,
      fields: [{ field: 'to_currency', message: 'Unsupported currency' }],
    });
    expect(service.ledger.payments).toEqual([]);
  });

  it('are InsufficientFundsError without a payment if the balance is insufficient', async () => {
    const { service, client } = await openService();
    const error: unknown = await client.payments
      .create({ ...order, amount: '100000.00' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InsufficientFundsError);
    expect(error).toMatchObject({ outcome: 'rejected' });
    expect(service.ledger.payments).toEqual([]);
  });

  it('are parsed in the format of the framework', async () => {
    const { service, connect } = await openService();
    const client = connect({ baseUrl: service.baseUrl.replace('v1', 'v2') });
    const error: unknown = await client.payments.create(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ outcome: 'rejected', status: 404 });
    expect(service.ledger.payments).toEqual([]);
  });

  it('are AuthenticationError for an unknown API key', async () => {
    const { connect } = await openService();
    const unauthenticated = connect({ apiKey: 'service_test_ffffffffffffffffffff' });
    await expect(unauthenticated.balance.retrieve()).rejects.toBeInstanceOf(AuthenticationError);
  });
});

describe('idempotency keys at a Fastify service', () => {
  it('are sent with every create, each time a different one', async () => {
    const { service, client } = await openService({ idempotency: 'ignored' });
    await client.payments.create(order);
    await client.payments.create(order);
    const keys = service.requests.map((request) => request.idempotencyKey);
    expect(keys).toEqual([expect.stringMatching(/.{16}/), expect.stringMatching(/.{16}/)]);
    expect(new Set(keys).size).toBe(2);
    expect(service.ledger.payments).toHaveLength(2);
  });

  it.each([
    ['replayed', 1],
    ['ignored', 2],
  ] as const)('of the caller are %s: %i payments', async (idempotency, count) => {
    const { service, client } = await openService({ idempotency });
    const options = { idempotencyKey: 'order-42' };
    await client.payments.create(order, options);
    await client.payments.create(order, options);
    expect(service.ledger.payments).toHaveLength(count);
  });

  it('with a conflict are not reported as a rejected create', async () => {
    const { service, client } = await openService({ idempotency: 'conflict' });
    const options = { idempotencyKey: 'order-42' };
    await client.payments.create(order, options);
    const error: unknown = await client.payments.create(order, options).catch((thrown: unknown) => thrown);
    expect(isPaymentOutcomeUnknownError(error) || isIdempotencyError(error)).toBe(true);
    expect(service.ledger.payments).toHaveLength(1);
  });
});

describe('guarded creates at a Fastify service', () => {
  it.each([429, 401, 403, 404, 400, 422])(
    'of a paid reference report an unknown outcome with the id if the read fails with %i',
    async (status) => {
      const { service, guarded } = await openService();
      const { id } = await guarded.payments.create(order, { reference: 'line-1' });
      await waitUntilVisible(service);
      service.faults.inject(RETRIEVE, status, Infinity);
      const again = guarded.payments.create(order, { reference: 'line-1', maxRetries: 0 });
      const error: unknown = await again.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ outcome: 'unknown', paymentId: id });
      expect(service.ledger.payments).toHaveLength(1);
    },
  );

  it('send nothing while the outcome of the reference is unknown', async () => {
    const { service, guarded } = await openService();
    service.faults.inject(CREATE, 'drop_after_commit');
    const first: unknown = await guarded.payments
      .create(order, { reference: 'line-1' })
      .catch((thrown: unknown) => thrown);
    expect(isPaymentOutcomeUnknownError(first)).toBe(true);
    const second = guarded.payments.create(order, { reference: 'line-1' });
    await expect(second).rejects.toMatchObject({ name: 'IdempotencyError' });
    expect(paymentsTo(service, order.beneficiary_name)).toHaveLength(1);
  });

  it('return the payment after reconcile has found it', async () => {
    const { service, guarded } = await openService();
    service.faults.inject(CREATE, 'gateway_504');
    const options = { reference: 'line-1' };
    const lost: unknown = await guarded.payments.create(order, options).catch((thrown: unknown) => thrown);
    await waitUntilVisible(service);
    if (!isPaymentOutcomeUnknownError(lost)) throw new Error('Expected a create with an unknown outcome.');
    const [row] = service.ledger.payments;
    await expect(guarded.payments.reconcile(lost)).resolves.toMatchObject({
      result: 'found',
      payment: { id: row?.id },
    });
    await expect(guarded.payments.create(order, options)).resolves.toMatchObject({ id: row?.id });
    expect(service.ledger.payments).toHaveLength(1);
  });
});
