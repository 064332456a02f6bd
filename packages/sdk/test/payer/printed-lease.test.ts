import { expect, it, vi } from 'vitest';
import { createMock } from '@service/mock';
import { createPayer, memoryStore } from '../../src/entries/payer.ts';
import { createClient } from '../../src/index.ts';

const body = { from_currency: 'USD', to_currency: 'EUR', amount: '1.00', beneficiary_name: 'Acme' } as const;

it('a payer that chaos runs prints its lease and its clock skew once, before its first create', async () => {
  const print = vi.spyOn(console, 'info').mockImplementation(() => {});
  const mock = createMock();
  const client = createClient({ apiKey: mock.account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const own = createPayer(client, { store: memoryStore() });
  await own.pay('order-1', body);
  expect(print).not.toHaveBeenCalled();
  vi.stubEnv('SERVICE_CHAOS_RUN', 'any');
  const run = createPayer(client, { store: memoryStore() });
  await run.pay('order-2', body);
  await run.pay('order-3', body);
  expect(print.mock.calls).toEqual([['service payer: lease 60000 ms, clock skew 60000 ms']]);
});
