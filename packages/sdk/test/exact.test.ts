import { describe, expect, test } from 'vitest';
import { exact, type Warning } from '../src/index.ts';
import { clientAnswering, paymentInput, payment, success } from './service.ts';

const wallet = (balance: string, note = ''): Response =>
  new Response(
    `{"success":true,"mode":"test","data":{"note":${JSON.stringify(note)},"balances":[{"currency":"EUR","balance":1},{"currency":"USD","balance":${balance}}]}}`,
  );

async function read(
  balance: string,
  note?: string,
): Promise<{ balance: number; text: unknown; warnings: string[] }> {
  const { service } = clientAnswering([wallet(balance, note)], { onWarning: () => {} });
  const { data, warnings } = await service.balance.retrieve().withResponse();
  const row = data.balances[1]!;
  return { balance: row.balance, text: exact(row, 'balance'), warnings: warnings.map(({ code }) => code) };
}

describe('exact()', () => {
  test.each([
    ['100.00', 100],
    ['"100.00"', 100],
    ['100.0000000000001', 100],
    ['-0.10', -0.1],
    ['1594736249983.97', 1594736249983.97],
    ['"70300000000000.01"', 70300000000000.01],
  ])('gives %s as the service wrote it', async (written, balance) => {
    expect(await read(written)).toEqual({ balance, text: written.replaceAll('"', ''), warnings: [] });
  });

  test.each(['9007199254740993', '"9007199254740993"', '123456789012345678.91', '-99999999999999999.99'])(
    'gives %s, which no number can hold, and the answer says so',
    async (written) => {
      const { text, warnings } = await read(written);
      expect(text).toBe(written.replaceAll('"', ''));
      expect(warnings).toEqual(['inexact_money']);
    },
  );

  test('is not misled by digits, quotes and backslashes in texts', async () => {
    for (const note of ['DE89370400440532013000', '"1.5"', '\\', '\\"2', 'a\n9007199254740993']) {
      expect(await read('5.50', note)).toEqual({ balance: 5.5, text: '5.50', warnings: [] });
    }
  });

  test('reads payments, quotes and transactions, and null where the service gave none', async () => {
    const row = { id: 'txn_test_1', type: 'deposit', amount: '7.10', fee: null, payment_id: '' };
    const { service } = clientAnswering([
      Response.json({ success: true, data: { ...payment, send_amount: '100.00' } }),
      Response.json({ success: true, data: { rate: '0.921300', receive_amount: '9.0' } }),
      Response.json({ success: true, data: { transactions: [row] } }),
    ]);
    expect(exact(await service.payments.create(paymentInput), 'send_amount')).toBe('100.00');
    const quote = await service.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: 1 });
    expect(exact(quote, 'rate')).toBe('0.921300');
    const [first] = (await service.transactions.list()).transactions;
    expect([exact(first!, 'amount'), exact(first!, 'fee')]).toEqual(['7.10', null]);
  });

  test('knows nothing of a copy', async () => {
    const { service } = clientAnswering([wallet('1.00')]);
    const { balances } = await service.balance.retrieve();
    expect(exact({ ...balances[1]! }, 'balance')).toBe(undefined);
  });
});

describe('a deprecated service', () => {
  test('is told of once in a process', async () => {
    const warnings: Warning[] = [];
    const headers = {
      deprecation: '@1767225600',
      sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
      link: '<https://docs.example/v2>; rel="deprecation"',
    };
    const answer = Response.json({ success: true, data: { balances: [] } }, { headers });
    const options = {
      baseUrl: 'https://old.example/api/v1',
      onWarning: (one: Warning) => warnings.push(one),
    };
    for (let client = 0; client < 2; client += 1) {
      const { service } = clientAnswering([answer], options);
      await service.balance.retrieve();
      await service.balance.retrieve();
    }
    expect(warnings).toEqual([
      {
        code: 'deprecated',
        message:
          'This version of the service is deprecated since Thu, 01 Jan 2026 00:00:00 GMT, and ends Fri, 01 Jan 2027 00:00:00 GMT. See https://docs.example/v2.',
      },
    ]);
  });
});

test('reads through the proxy of a state manager', async () => {
  const { service } = clientAnswering([success(payment)]);
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (from, name, receiver) => {
        const value: unknown = Reflect.get(from, name, receiver);
        return typeof value === 'object' && value !== null && Object.isExtensible(value)
          ? wrap(value)
          : value;
      },
    });
  expect(exact(wrap(await service.payments.retrieve(payment.id)), 'send_amount')).toBe('100');
});
