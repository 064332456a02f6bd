import { createMock } from '@service/mock';
import { createClient } from '@service/sdk';

const mock = createMock({ clock: 'manual' });
const service = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 250,
  beneficiary_name: 'Acme Supplies Ltd',
};
const { id } = await service.payments.create({ ...order, beneficiary_account: 'SIM-FAIL' });
await mock.sandbox.clock.advance('4s');
export const { status } = await service.payments.retrieve(id); // 'failed', and the balance is refunded
