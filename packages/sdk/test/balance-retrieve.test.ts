import { describe, expect, it } from 'vitest';
import { baseUrl, createStubClient, json, catchRejection, success } from './service.ts';

const balance = {
  balances: [
    { currency: 'EUR', balance: 0 },
    { currency: 'USD', balance: 99000 },
  ],
};

describe('balance.retrieve', () => {
  it('returns the wallets', async () => {
    const { client, requests } = createStubClient([success(balance)]);
    expect(await client.balance.retrieve()).toEqual(balance);
    expect(requests[0]?.url).toBe(`${baseUrl}/balance`);
    expect(requests[0]?.headers.has('content-type')).toBe(false);
  });

  it('rejects a response without wallets', async () => {
    const { client } = createStubClient([json({ success: true, data: { balances: null } })]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({
      name: 'UnreadableResponseError',
      outcome: 'unknown',
    });
  });
});
