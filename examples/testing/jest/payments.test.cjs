const { createMock } = require('@service/mock');
const { createClient } = require('@service/sdk');

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '1000.00',
  beneficiary_name: 'Acme Supplies Ltd',
};

test('a payment is completed after 4 s', async () => {
  const mock = createMock({ clock: 'manual' }); // takes a millisecond
  const client = createClient(mock.clientOptions);
  const { id } = await client.payments.create(order);
  await mock.sandbox.clock.advance('4s');
  expect(await client.payments.retrieve(id)).toMatchObject({ status: 'completed' });
});

test('each mock starts with the default balances', async () => {
  const { balances } = await createClient(createMock().clientOptions).balance.retrieve();
  expect(balances).toContainEqual({ currency: 'USD', balance: 100000 });
});
