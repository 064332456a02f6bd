const { createFixtures } = require('@service/mock/jest');
const { createClient } = require('@service/sdk');

const service = createFixtures({ clock: 'manual' }); // one mock for this file

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '1000.00',
  beneficiary_name: 'Acme Supplies Ltd',
};

test('a payment is completed after 4 s', async () => {
  const client = createClient(service.clientOptions); // a new account for each test
  const { id } = await client.payments.create(order);
  await service.mock.sandbox.clock.advance('4s');
  expect(await client.payments.retrieve(id)).toMatchObject({ status: 'completed' });
});

test('each test starts with the default balances', async () => {
  const { balances } = await createClient(service.clientOptions).balance.retrieve();
  expect(balances).toContainEqual({ currency: 'USD', balance: 100000 });
});
