// Transactions of services with templates (docs/contract.md#profile-settings), compared with those of a sandbox of the same
// seed that has the documented rows and pages.
import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import {
  type Client,
  createClient,
  type PaymentOutcomeUnknownError,
  rawAmount,
  type Transaction,
} from '@service/sdk';
import { createTransactionReader } from '@service/sdk/templates';
import { pageTemplates, rowTemplates, templateProfiles } from './support/transaction-templates.ts';

type Profile = NonNullable<MockOptions['profile']>;

const order = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: '1234.56',
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
  purpose: 'INV-42',
};

interface Opened {
  readonly mock: Mock;
  readonly client: Client;
  readonly warnings: string[];
}

function open(profile: Profile, start = '2026-01-31T12:00:00Z'): Opened {
  const mock = createMock({ seed: 7, clock: 'manual', start, profile });
  const warnings: string[] = [];
  const client = createClient({
    apiKey: mock.account.testKey,
    baseUrl: mock.baseUrl,
    fetch: mock.fetch,
    transactionReader: createTransactionReader(profile),
    onWarning: ({ message }) => warnings.push(message),
  });
  return { mock, client, warnings };
}

/** Creates payments of each outcome, so that the history has payments, refunds and deposits. */
async function pay({ mock, client }: Opened): Promise<void> {
  for (const account of ['DE1', 'SIM-FAIL', 'DE2', 'SIM-RETURN'])
    await client.payments.create({ ...order, beneficiary_account: account, purpose: `For ${account}` });
  await mock.sandbox.clock.advance('1h');
}

async function collect({ client }: Opened, per_page: number): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for await (const row of client.transactions.list({ per_page })) rows.push(row);
  return rows;
}

const readable = ({ payment_id, created_at, ...row }: Transaction): object => ({
  ...row,
  id: expect.any(String),
  created_at: Date.parse(created_at),
  payment_id: payment_id ?? null,
});

describe('a client with the reader of a profile', () => {
  it.each(templateProfiles)('reads the rows that the documented forms show: %s', async (_, profile) => {
    const [service, documented] = [open(profile), open({})];
    await pay(service);
    await pay(documented);
    const expected = await collect(documented, 100);
    expect(new Set(expected.map(({ type }) => type))).toEqual(new Set(['payment', 'refund', 'deposit']));
    const names = ['type', 'status', 'currency', 'amount'] as const;
    const pick = (rows: readonly Transaction[]): unknown[] =>
      rows.map((row) => [names.map((name) => row[name]), Date.parse(row.created_at), row.payment_id ?? null]);
    for (const per_page of [1, 3, 100]) {
      const rows = await collect(service, per_page);
      expect(pick(rows)).toEqual(pick(expected));
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      expect(rows.map((row) => rawAmount(row, 'amount')).map(Number)).toEqual(rows.map((row) => row.amount));
    }
    expect(service.warnings).toEqual([]);
  });

  it('reads all documented fields of rows in cents with a direction', async () => {
    const [service, documented] = [
      open({ transactionShape: rowTemplates.centsWithDirection ?? [] }),
      open({}),
    ];
    await pay(service);
    await pay(documented);
    const [rows, expected] = [await collect(service, 100), await collect(documented, 100)];
    expect(rows.map(readable)).toMatchObject(expected.map(readable));
    expect(rows[0]).toMatchObject({ no: rows.length, id: String(rows.length), money: { unit: 'usd' } });
    const payment = rows.find(({ type }) => type === 'payment');
    expect(payment && [rawAmount(payment, 'amount'), payment.amount]).toEqual(['-1234.56', -1234.56]);
  });

  it.each(Object.keys(pageTemplates))('starts at the requested page: %s', async (name) => {
    const service = open({ pagination: pageTemplates[name] ?? 'page' });
    await pay(service);
    const all = await collect(service, 100);
    const { transactions, pagination } = await service.client.transactions.list({ page: 2, per_page: 2 });
    // Without a page, a cursor leads to the first one.
    const start = name.includes('cursor') ? 0 : 2;
    expect(transactions.map(({ id }) => id)).toEqual(all.slice(start, start + 2).map(({ id }) => id));
    expect(pagination).toMatchObject({ has_more: true });
  });

  it.each(templateProfiles)('reconciles a create with a lost response: %s', async (_, profile) => {
    const service = open(profile, new Date().toISOString());
    await pay(service);
    service.mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    const error = await service.client.payments.create(order).catch((thrown: unknown) => thrown);
    expect(await service.client.payments.reconcile(error as PaymentOutcomeUnknownError)).toMatchObject({
      result: 'found',
      payment: { purpose: 'INV-42', send_amount: 1234.56 },
    });
  });
});
