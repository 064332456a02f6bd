import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Client, UnreadableResponseError } from '../src/index.ts';
import { createStubClient, payment, paymentInput, catchRejection, success } from './service.ts';

const quote = {
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 1000,
  fee: 5,
  rate: 0.9213,
  receive_amount: 916.69,
};
const transaction = { id: 'txn_test_1', type: 'payment', amount: -100.5, fee: null, balance_after: 899.5 };
const pagination = { current_page: 1, per_page: 20, total: 1, total_pages: 1, has_more: false };
const quoteInput = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };

interface Case {
  readonly title: string;
  readonly record: Record<string, unknown>;
  readonly fields: readonly string[];
  /** Returns a record of the service as the client returns it. */
  readonly read: (record: object) => Promise<unknown>;
  /** Whether an unreadable record is left out with a warning instead of an error. */
  readonly isRow?: true;
}

const createClientReturning = (data: object): Client =>
  createStubClient([success(data)], { onWarning: () => {} }).client;

const isLeftOut = async (reading: Promise<unknown>): Promise<boolean> => (await reading) === undefined;

async function isUnreadable(reading: Promise<unknown>): Promise<boolean> {
  const error = await catchRejection(reading);
  return [error, (error as Error).cause].some(
    (one) => one instanceof UnreadableResponseError && one.outcome === 'unknown',
  );
}

const cases: Case[] = [
  {
    title: 'a created payment',
    record: payment,
    fields: ['send_amount', 'rate', 'receive_amount'],
    read: (record) => createClientReturning(record).payments.create(paymentInput),
  },
  {
    title: 'a retrieved payment',
    record: payment,
    fields: ['send_amount', 'rate', 'receive_amount'],
    read: (record) => createClientReturning(record).payments.retrieve(payment.id),
  },
  {
    title: 'a quote',
    record: quote,
    fields: ['send_amount', 'fee', 'rate', 'receive_amount'],
    read: (record) => createClientReturning(record).quotes.create(quoteInput),
  },
  {
    title: 'a wallet',
    record: { currency: 'USD', balance: 99_000 },
    fields: ['balance'],
    read: async (record) =>
      (await createClientReturning({ balances: [record] }).balance.retrieve()).balances[0],
  },
  {
    title: 'a transaction',
    isRow: true,
    record: { payment_id: null, reference: null, ...transaction },
    fields: ['amount', 'fee', 'balance_after'],
    read: async (record) =>
      (await createClientReturning({ transactions: [record], pagination }).transactions.list())
        .transactions[0],
  },
];

const invalidAmounts = [' 1', '1 ', '+1', '01', '.5', '1.', '1e3', '1,000', '0x1', 'NaN', '9'.repeat(400)];

describe.each(cases)('the money of $title', ({ record, fields, read, isRow }) => {
  it('keeps numbers as they are', async () => {
    expect(await read(record)).toEqual(record);
  });

  it('is read from decimal strings', async () => {
    const texts = Object.fromEntries(fields.map((name) => [name, '-1234.50']));
    const numbers = Object.fromEntries(fields.map((name) => [name, -1234.5]));
    expect(await read({ ...record, ...texts })).toEqual({ ...record, ...numbers });
  });

  it('loses a float tail, and may be null', async () => {
    const tails: [unknown, number | null][] = [
      [0.1 + 0.2, 0.3],
      [100.0000000000001, 100],
      ['-100.0000000000001', -100],
      [1e-16, 0],
      [1594736249983.971, 1594736249983.97],
      [12345678901234.561, 12345678901234.56],
      [1.0049999999999999, 1.005],
      [0.006612000000000001, 0.006612],
      [null, null],
    ];
    for (const [value, number] of tails) {
      const given = Object.fromEntries(fields.map((name) => [name, value]));
      const wanted = Object.fromEntries(fields.map((name) => [name, number]));
      expect(await read({ ...record, ...given })).toEqual({ ...record, ...wanted });
    }
  });

  it('is never read from anything else', async () => {
    for (const name of fields) {
      for (const value of [...invalidAmounts, true, {}, [], ['1']]) {
        const reading = read({ ...record, [name]: value });
        expect(await (isRow ? isLeftOut(reading) : isUnreadable(reading))).toBe(true);
      }
    }
  });

  it('leaves undocumented fields as they are', async () => {
    const given = { ...record, note: '5.00', amounts: ['1.00'] };
    expect(await read(given)).toEqual(given);
  });
});

describe('a money field', () => {
  it('makes a response unreadable if its number is too large for a double', async () => {
    const body = '{"success":true,"data":{"balances":[{"currency":"USD","balance":1e400}]}}';
    const { client } = createStubClient([new Response(body)]);
    expect(await catchRejection(client.balance.retrieve())).toMatchObject({
      name: 'UnreadableResponseError',
    });
  });

  it('equals the decimal string of the service, for every amount', async () => {
    const cents = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
    await fc.assert(
      fc.asyncProperty(cents, async (amount) => {
        const digits = String(amount < 0n ? -amount : amount).padStart(3, '0');
        const text = `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        const { balances } = await createClientReturning({
          balances: [{ currency: 'USD', balance: text }],
        }).balance.retrieve();
        expect(balances[0]?.balance.toFixed(2)).toBe(text);
      }),
    );
  });
});
