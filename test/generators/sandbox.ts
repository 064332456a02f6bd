// The mock that the generated clients call, and the check of their reports.
import { deepEqual, equal } from 'node:assert/strict';
import openapi from '@service/contract/openapi.json' with { type: 'json' };
import { createMock, type AccountOptions, type Respond, type SandboxResponse } from '@service/mock';
import { listen } from '@service/mock/node';
export interface Sandbox extends AsyncDisposable {
  readonly baseUrl: string;
  /** Opens an account and returns its API key. */
  readonly openAccount: (options: AccountOptions) => string;
}

/** Starts a mock on a free loopback port. A payment completes in 400 ms. */
export async function startSandbox(): Promise<Sandbox> {
  const later = new Set<string | null>();
  const respond: Respond = (facts, response) =>
    later.has(facts.account) ? respondLater(response) : response;
  const mock = createMock({ clock: { speed: 10 }, respond });
  const server = await listen(mock, { port: 0 });
  return {
    baseUrl: server.baseUrl,
    openAccount: (options) => {
      const { id, testKey } = mock.sandbox.accounts.create(options);
      if (options.profile === laterProfile) later.add(id);
      return testKey;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const added = 'added_field';

/** Adds a field to every object, and renames a status of payments. */
function widen(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(widen);
  if (value === 'processing') return 'under_review';
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, widen(each)]);
  return { ...Object.fromEntries(fields), [added]: 'new' };
}

const respondLater = (response: SandboxResponse): SandboxResponse => ({
  ...response,
  body: widen(response.body),
});

/** A service with another success status, an undocumented payment status, and a field more in every object of a response. */
const laterProfile: NonNullable<AccountOptions['profile']> = { successStatus: { createPayment: 200 } };

const balances = { USD: '2000000.00' };
/** The accounts of a generated client, for one payment each: of the documented service, and of a later one. */
export const clientAccounts: readonly AccountOptions[] = [{ balances }, { balances, profile: laterProfile }];

/**
 * The account of generated calls. They have amounts of many decimals and filters of any text, because openapi.yaml leaves
 * both open, and any amount in any currency of the sandbox.
 */
export const generatedCallsAccount: AccountOptions = {
  profile: { amounts: { precision: 'round' }, listQuery: { filter: 'empty' } },
  balances: Object.fromEntries(
    openapi.components.schemas.Currency['x-decided'].enum.map((currency) => [currency, '999999999999.99']),
  ),
};

/** Compares the report of a client with the record of the service. Every client makes the same payment. */
export async function checkReport(report: string, baseUrl: string, apiKey: string): Promise<void> {
  const call = async (path: string, init?: RequestInit) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    return ((await response.json()) as { data: unknown }).data;
  };
  const { transactions } = (await call('/transactions?type=payment')) as {
    transactions: { payment_id: string; amount: number }[];
  };
  const [debit] = transactions;
  equal(debit?.amount, -1234567.89, 'The service recorded another amount.');
  equal(transactions.length, 1, 'The service recorded more than one payment.');

  const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 1234567.89 };
  const quote = await call('/quotes', { method: 'POST', body: JSON.stringify(exchange) });
  deepEqual(JSON.parse(report), {
    quoted: (quote as { receive_amount: number }).receive_amount,
    id: debit.payment_id,
    status: 'completed',
    beneficiary: 'Acme Supplies Ltd',
    bank: null,
    amount: -1234567.89,
    balance: 765432.11,
    error: 'insufficient_funds',
  });
}
