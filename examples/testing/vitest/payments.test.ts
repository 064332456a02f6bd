import { createFixtures } from '@service/mock/vitest';
import { createClient } from '@service/sdk';
import { expect, test as base } from 'vitest';

const test = base.extend(createFixtures({ clock: 'manual' })); // one mock for this file

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '1000.00',
  beneficiary_name: 'Acme Supplies Ltd',
};

test('a payment is completed after 4 s', async ({ clientOptions, mock }) => {
  const client = createClient(clientOptions); // a new account for each test
  const { id } = await client.payments.create(order);
  await mock.sandbox.clock.advance('4s');
  expect(await client.payments.retrieve(id)).toMatchObject({ status: 'completed' });
});

test('each test starts with the default balances', async ({ clientOptions }) => {
  const { balances } = await createClient(clientOptions).balance.retrieve();
  expect(balances).toContainEqual({ currency: 'USD', balance: 100000 });
});
