/** A request that every client can send, and the response of the service. */
export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: Readonly<Record<string, string | number>>;
  readonly response: string;
}

/** The API key of all clients. */
export const apiKey = 'service_test_4f9c1d2e3b';

/** The headers of every response. */
export const headers: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-request-id': 'req_1',
};

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 100 } as const;

export const quoteInput: typeof exchange = exchange;

export const paymentInput: typeof exchange & { readonly beneficiary_name: string; readonly purpose: string } =
  {
    ...exchange,
    beneficiary_name: 'Acme Supplies Ltd',
    purpose: 'INV-2026-0042',
  };

/** The id of the payment in every response. */
export const paymentId = 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s';

const quote = {
  ...exchange,
  amount: undefined,
  send_amount: 100,
  fee: 0.5,
  rate: 0.9213,
  receive_amount: 91.67,
};
const payment = {
  id: paymentId,
  status: 'pending',
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 100,
  rate: 0.9213,
  receive_amount: 91.67,
  beneficiary: { name: 'Acme Supplies Ltd', bank: null, account: null, country: null },
  purpose: 'INV-2026-0042',
  created_at: '2026-01-31T12:00:00+00:00',
};
const wallets = {
  balances: [
    { currency: 'EUR', balance: 100_000 },
    { currency: 'GBP', balance: 100_000 },
    { currency: 'USD', balance: 99_900 },
  ],
};

/** The measured operations: two reads and two writes. */
export const operations: readonly Operation[] = [
  { name: 'GET /balance', method: 'GET', path: '/balance', response: serialize(wallets) },
  {
    name: 'GET /payments/{payment_id}',
    method: 'GET',
    path: `/payments/${paymentId}`,
    response: serialize(payment),
  },
  { name: 'POST /quotes', method: 'POST', path: '/quotes', body: quoteInput, response: serialize(quote) },
  {
    name: 'POST /payments',
    method: 'POST',
    path: '/payments',
    body: paymentInput,
    response: serialize(payment),
  },
];

function serialize(data: object): string {
  return JSON.stringify({ success: true, mode: 'test', data });
}
