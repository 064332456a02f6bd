import type { Client } from '@service/sdk';
import { describe, expect, it } from 'vitest';
import type { FaultKind } from './fastify/faults.ts';
import {
  CREATE,
  findWrongResult,
  loseCreate,
  openService,
  order,
  paymentsTo,
  RETRIEVE,
  waitUntilVisible,
  styles,
} from './support.ts';

const lostAfterCommit = ['drop_after_commit', 'gateway_504', 'cut_body', 'hang'] as const;

describe.each(styles)('payments.reconcile against a Fastify service in %s style', (listStyle) => {
  it.each(lostAfterCommit)('finds the payment of a create that ended in %s', async (fault) => {
    const { service, client } = await openService({ listStyle });
    await client.payments.create({ ...order, purpose: 'INV-41' });
    service.faults.inject(CREATE, fault);
    const lost = await loseCreate(client, order, { timeout: 500 });
    await waitUntilVisible(service);
    const row = service.ledger.payments.find(({ purpose }) => purpose === 'INV-42');
    const result = await client.payments.reconcile(lost);
    expect(result).toMatchObject({ result: 'found', payment: { id: row?.id } });
    expect(['id', 'purpose+beneficiary']).toContain('evidence' in result && result.evidence);
    expect(service.ledger.payments).toHaveLength(2);
  });

  it('finds nothing if the create was lost before the commit', async () => {
    const { service, connect } = await openService({ listStyle });
    const client = connect({ readLag: 0 });
    await client.payments.create({ ...order, purpose: 'INV-41' });
    service.faults.inject(CREATE, 'drop_before_commit');
    const lost = await loseCreate(client, order);
    await waitUntilVisible(service);
    expect(await client.payments.reconcile(lost)).toEqual({ result: 'not_found_yet', reason: 'no_record' });
  });

  it('does not confuse an amount of 1234 cents with 1234.00', async () => {
    const { service, client } = await openService({ listStyle });
    await client.payments.create({ ...order, amount: '12.34' });
    service.faults.inject(CREATE, 'drop_before_commit');
    const lost = await loseCreate(client, { ...order, amount: '1234.00' });
    await waitUntilVisible(service);
    expect(await client.payments.reconcile(lost)).not.toMatchObject({ result: 'found' });
  });

  it('has no wrong result if a deposit was immediately before the create', async () => {
    const { service, client } = await openService({ listStyle });
    service.ledger.topUp('USD', 500_00);
    service.faults.inject(CREATE, 'drop_after_commit');
    const lost = await loseCreate(client, order);
    await waitUntilVisible(service);
    const result = await client.payments.reconcile(lost);
    expect(findWrongResult(result, service.ledger.payments[0])).toBeUndefined();
  });

  it.each([404, 403])('cannot tell if the payment of a transaction responds with %i', async (status) => {
    const { service, client } = await openService({ listStyle });
    service.faults.inject(CREATE, 'drop_after_commit');
    const lost = await loseCreate(client, order);
    await waitUntilVisible(service);
    service.faults.inject(RETRIEVE, status, 1000);
    const { result } = await client.payments.reconcile(lost, { signal: AbortSignal.timeout(20_000) });
    expect(result).toBe('cannot_tell');
  });

  it('finds the payment by the body and the time of the create', async () => {
    const { service, client } = await openService({ listStyle });
    const since = new Date();
    service.faults.inject(CREATE, 'drop_after_commit');
    await loseCreate(client, order);
    await waitUntilVisible(service);
    const [row] = service.ledger.payments;
    const result = await client.payments.reconcile({ ...order, since });
    expect(result).toMatchObject({ result: 'found', payment: { id: row?.id } });
  });
});

const rent = { ...order, amount: '850.00', purpose: 'Rent November' };

async function pay(client: Client, beneficiary_name: string): Promise<string> {
  return (await client.payments.create({ ...rent, beneficiary_name })).id;
}

describe.each(styles)('payments of equal amount and purpose, in %s style', (listStyle) => {
  const faults: readonly FaultKind[] = ['drop_before_commit', 'drop_after_commit', 'gateway_504'];

  it.each(faults)('are never found for another beneficiary after %s', async (fault) => {
    const { service, client } = await openService({ listStyle });
    await pay(client, 'Alder');
    await waitUntilVisible(service);
    service.faults.inject(CREATE, fault);
    const lost = await loseCreate(client, { ...rent, beneficiary_name: 'Birch' });
    const [own] = paymentsTo(service, 'Birch');
    // Alder's payment is visible before Birch's.
    const soon = await client.payments.reconcile(lost);
    expect(findWrongResult(soon, own)).not.toBe('found another payment');
    await pay(client, 'Cedar');
    await waitUntilVisible(service);
    const result = await client.payments.reconcile(lost);
    expect(findWrongResult(result, own)).toBeUndefined();
  });

  it('are distinguished if all responses are lost', async () => {
    const { service, client } = await openService({ listStyle });
    for (const beneficiary_name of ['Alder', 'Birch', 'Cedar']) {
      service.faults.inject(CREATE, 'drop_after_commit');
      const lost = await loseCreate(client, { ...rent, beneficiary_name });
      await waitUntilVisible(service);
      const [own] = paymentsTo(service, beneficiary_name);
      expect(findWrongResult(await client.payments.reconcile(lost), own)).toBeUndefined();
    }
  });

  it('are ambiguous if the beneficiary is also equal', async () => {
    const { service, client } = await openService({ listStyle });
    await pay(client, 'Alder');
    service.faults.inject(CREATE, 'drop_after_commit');
    const lost = await loseCreate(client, { ...rent, beneficiary_name: 'Alder' });
    await waitUntilVisible(service);
    expect((await client.payments.reconcile(lost)).result).toMatch(/^(ambiguous|cannot_tell)$/);
  });
});
