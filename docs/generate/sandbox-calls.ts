// Sandboxes of the reference, and valid requests to them.
import type { OperationId } from '@service/contract';
import { createMock, type Mock, type Profile } from '@service/mock';

/** A request to the service. A text is sent as it is. */
export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 1000 };

/** A valid body of a create. */
export const order: Readonly<Record<string, unknown>> = {
  ...exchange,
  beneficiary_name: 'Acme Supplies Ltd',
  beneficiary_account: 'DE89370400440532013000',
};

/** Returns a valid request of each operation. */
export const toCalls = (
  payment: string,
): Readonly<Record<OperationId, Call & { readonly body?: object }>> => ({
  createQuote: { method: 'POST', path: '/quotes', body: exchange },
  createPayment: { method: 'POST', path: '/payments', body: order },
  getPayment: { method: 'GET', path: `/payments/${payment}` },
  getBalance: { method: 'GET', path: '/balance' },
  listTransactions: { method: 'GET', path: '/transactions' },
});

/** The operations in the order of the reference. */
export const operationIds = Object.keys(toCalls('')) as readonly OperationId[];

/** Creates a sandbox with a manual clock. `fetch` receives its webhooks. */
export function openSandbox(
  profile: Partial<Profile>,
  fetch?: (request: Request) => Promise<Response>,
): Mock {
  return createMock({
    seed: 'reference',
    clock: 'manual',
    start: '2026-01-31T12:00:00Z',
    profile,
    ...(fetch && { fetch }),
  });
}

/** Sends a request with the key of the account. */
export async function sendCall(mock: Mock, { method, path, body, headers }: Call): Promise<Response> {
  return mock.fetch(`${mock.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${mock.account.testKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
}

/** Creates a payment through the API and returns its id. A create that a profile rejects leaves an id of no payment. */
export async function pay(mock: Mock, change: object = {}): Promise<string> {
  const { createPayment } = toCalls('');
  const response = await sendCall(mock, { ...createPayment, body: { ...order, ...change } });
  const { data } = (await response.json()) as { readonly data?: { readonly id: string } };
  return data?.id ?? 'pay_test_none';
}
