import { describe, expect, it } from 'vitest';
import { createStubClient, json, catchRejection, expectRefused, success } from './service.ts';

const quote = {
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 1000,
  fee: 5,
  rate: 0.9213,
  receive_amount: 916.69,
};
const input = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

describe('quotes.create', () => {
  it('writes the amount as a number with the same digits, and currencies in upper case', async () => {
    const { client, requests } = createStubClient([success(quote)]);
    await client.quotes.create({ from_currency: 'usd', to_currency: 'Eur', amount: '100.00' });
    expect(await requests[0]?.text()).toBe('{"from_currency":"USD","to_currency":"EUR","amount":100.00}');
  });

  it('rejects an invalid input before sending', async () => {
    await expectRefused(
      (client, body) => client.quotes.create(body),
      [
        [{ ...input, amount: 0.1 + 0.2 }, 'at most 2 decimals'],
        [{ ...input, fromCurrency: 'USD' }, '"fromCurrency" is unknown'],
        [{ ...input, purpose: 'x' }, 'Use one of: from_currency, to_currency, amount'],
        [{ ...input, from_currency: 'US' }, "from_currency must be a 3-letter ISO 4217 code such as 'USD'"],
        [{ ...input, to_currency: 'EURO' }, 'to_currency'],
        [{ ...input, to_currency: '\u20acUR' }, 'to_currency'],
        [{ ...input, to_currency: 5 }, 'to_currency'],
        [{ from_currency: 'USD', to_currency: 'EUR' }, 'amount is required'],
        [{ ...input, from_currency: null }, 'from_currency is required'],
        [JSON.parse('{"__proto__": 1}'), '__proto__'],
        [null, 'must be an object'],
        [[], 'must be an object'],
        ['USD', 'must be an object'],
        [undefined, 'must be an object'],
      ],
    );
  });

  it('sends the values that it checked, even if a getter returns another one', async () => {
    let readings = 0;
    const body = {
      ...input,
      get amount() {
        readings += 1;
        return readings === 1 ? '5.00' : '500.00';
      },
    };
    const { client, requests } = createStubClient([success(quote)]);
    await client.quotes.create(body);
    expect(await requests[0]?.text()).toContain('"amount":5.00}');
  });

  it('rejects a response without a quote, as balance.retrieve does without wallets', async () => {
    const body = { success: true, data: { hello: 1, balances: null } };
    const { client } = createStubClient([json(body)]);
    for (const call of [client.quotes.create(input), client.balance.retrieve()])
      expect(await catchRejection(call)).toMatchObject({
        name: 'UnreadableResponseError',
        status: 200,
        outcome: 'unknown',
        raw: body,
      });
  });
});
