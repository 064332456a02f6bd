import { expect, test } from 'vitest';
import { baseUrl, clientAnswering, json, rejection, success } from './service.ts';

const balance = {
  balances: [
    { currency: 'EUR', balance: 0 },
    { currency: 'USD', balance: 99000 },
  ],
};

test('retrieves the wallets', async () => {
  const { service, requests } = clientAnswering([success(balance)]);
  expect(await service.balance.retrieve()).toEqual(balance);
  expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
  expect(requests[0]?.headers.has('content-type')).toBe(false);
});

test('reports an answer without wallets', async () => {
  const { service } = clientAnswering([json({ success: true, data: { balances: null } })]);
  expect(await rejection(service.balance.retrieve())).toMatchObject({
    name: 'UnreadableResponseError',
    outcome: 'unknown',
  });
});
