import { describe, expect, it } from 'vitest';
import { rawAmount } from '../src/index.ts';
import { createStubClient, paymentInput, payment, success } from './service.ts';

const wallet = (balance: string, note = ''): Response =>
  new Response(
    `{"success":true,"mode":"test","data":{"note":${JSON.stringify(note)},"balances":[{"currency":"EUR","balance":1},{"currency":"USD","balance":${balance}}]}}`,
  );

async function readField(
  balance: string,
  note?: string,
): Promise<{ balance: number; text: unknown; warnings: string[] }> {
  const { client } = createStubClient([wallet(balance, note)], { onWarning: () => {} });
  const { data, warnings } = await client.balance.retrieve().withResponse();
  const row = data.balances[1]!;
  return {
    balance: row.balance,
    text: rawAmount(row, 'balance'),
    warnings: warnings.map(({ code }) => code),
  };
}

describe('rawAmount', () => {
  it.each([
    ['100.00', 100],
    ['"100.00"', 100],
    ['100.0000000000001', 100],
    ['-0.10', -0.1],
    ['1594736249983.97', 1594736249983.97],
    ['"70300000000000.01"', 70300000000000.01],
  ])('returns %s as the service wrote it', async (written, balance) => {
    expect(await readField(written)).toEqual({ balance, text: written.replaceAll('"', ''), warnings: [] });
  });

  it.each(['9007199254740993', '"9007199254740993"', '123456789012345678.91', '-99999999999999999.99'])(
    'returns %s, which no number can represent, with a warning',
    async (written) => {
      const { text, warnings } = await readField(written);
      expect(text).toBe(written.replaceAll('"', ''));
      expect(warnings).toEqual(['inexact_money']);
    },
  );

  it('ignores digits, quotes and backslashes in strings', async () => {
    for (const note of ['DE89370400440532013000', '"1.5"', '\\', '\\"2', 'a\n9007199254740993']) {
      expect(await readField('5.50', note)).toEqual({ balance: 5.5, text: '5.50', warnings: [] });
    }
  });

  it('reads payments, quotes and transactions, and returns null for absent fields', async () => {
    const row = { id: 'txn_test_1', type: 'deposit', amount: '7.10', fee: null, payment_id: '' };
    const { client } = createStubClient([
      Response.json({ success: true, data: { ...payment, send_amount: '100.00' } }),
      Response.json({ success: true, data: { rate: '0.921300', receive_amount: '9.0' } }),
      Response.json({ success: true, data: { transactions: [row] } }),
    ]);
    expect(rawAmount(await client.payments.create(paymentInput), 'send_amount')).toBe('100.00');
    const quote = await client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    expect(rawAmount(quote, 'rate')).toBe('0.921300');
    const [first] = (await client.transactions.list()).transactions;
    expect([rawAmount(first!, 'amount'), rawAmount(first!, 'fee')]).toEqual(['7.10', null]);
  });

  it('returns undefined for a copy', async () => {
    const { client } = createStubClient([wallet('1.00')]);
    const { balances } = await client.balance.retrieve();
    expect(rawAmount({ ...balances[1]! }, 'balance')).toBe(undefined);
  });

  it('reads through the proxy of a state manager', async () => {
    const { client } = createStubClient([success(payment)]);
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (from, name, receiver) => {
          const value: unknown = Reflect.get(from, name, receiver);
          return typeof value === 'object' && value !== null && Object.isExtensible(value)
            ? wrap(value)
            : value;
        },
      });
    expect(rawAmount(wrap(await client.payments.retrieve(payment.id)), 'send_amount')).toBe('100');
  });
});
