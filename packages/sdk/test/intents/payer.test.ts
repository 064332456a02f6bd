import { describe, expect, it } from 'vitest';
import { createClient, type PaymentInput } from '../../src/index.ts';
import { createMemoryStore, createPayer, type IntentUpdate, type Payer } from '../../src/entries/intents.ts';
import { createPaymentService } from '../payment-service.ts';

const bodyOf = (name: string): PaymentInput => ({
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '10.00',
  beneficiary_name: name,
  purpose: `Invoice of ${name}`,
});

async function runAll(payer: Payer): Promise<IntentUpdate[]> {
  const updates: IntentUpdate[] = [];
  for await (const update of payer.run()) updates.push(update);
  return updates;
}

describe('createPayer', () => {
  it('creates the payment of each planned intent once', async () => {
    const service = createPaymentService();
    const client = createClient({
      apiKey: 'service_test_1',
      baseUrl: 'http://localhost:1/api/v1',
      fetch: service.fetch,
    });
    const payer = createPayer(client, { store: createMemoryStore() });
    for (const name of ['Alder', 'Birch', 'Cedar']) await payer.plan(name, bodyOf(name));
    const updates = await runAll(payer);
    expect(updates.map(({ reference, state }) => [reference, state])).toEqual([
      ['Alder', 'created'],
      ['Birch', 'created'],
      ['Cedar', 'created'],
    ]);
    expect(await runAll(payer)).toEqual([]);
    expect(service.payments).toHaveLength(3);
    expect((await payer.summary()).states).toMatchObject({ planned: 0, created: 3 });
  });

  it('finds a payment whose response was lost', async () => {
    const service = createPaymentService();
    const client = createClient({
      apiKey: 'service_test_1',
      baseUrl: 'http://localhost:1/api/v1',
      fetch: service.fetch,
    });
    const payer = createPayer(client, { store: createMemoryStore() });
    await payer.plan('Alder', bodyOf('Alder'));
    service.loseNext('after');
    const updates = await runAll(payer);
    expect(updates.map(({ state }) => state)).toEqual(['unknown', 'created']);
    expect(updates[1]?.intent).toMatchObject({ boundBy: 'reconciled', paymentId: service.payments[0]?.id });
    expect(service.payments).toHaveLength(1);
  });
});
