// The calls of every generated client in TypeScript, and its report.
export interface Payment {
  readonly id: string;
  readonly status: string;
  readonly beneficiary: { readonly name: string; readonly bank: string | null };
}

export interface Transaction {
  readonly payment_id: string | null;
  readonly amount: number;
  readonly balance_after: number;
}

/** The operations of a client, with the field names of the service. */
export interface Client {
  readonly quote: (body: typeof exchange) => Promise<{ readonly receive_amount: number }>;
  /** Returns the payment, or the type of the error. */
  readonly create: (body: typeof order) => Promise<Payment | string>;
  readonly retrieve: (id: string) => Promise<Payment>;
  readonly list: (query: typeof filters) => Promise<readonly Transaction[]>;
}

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 1234567.89 };
const order = { ...exchange, beneficiary_name: 'Acme Supplies Ltd', purpose: 'INV-2026-0042' };
const filters = { status: 'completed', type: 'payment' };

export const { BASE_URL: baseUrl = '', API_KEY: apiKey = '' } = process.env;
export const headers = { Authorization: `Bearer ${apiKey}` };

/** Returns a result that must exist. */
export function demand<T>(result: T | undefined): T {
  if (result === undefined) throw new Error('The service responded with an error.');
  return result;
}

export async function run({ quote, create, retrieve, list }: Client): Promise<void> {
  const { receive_amount: quoted } = await quote(exchange);
  let payment = await create(order);
  if (typeof payment === 'string') throw new Error(`The create was answered ${payment}.`);
  for (let reads = 0; reads < 100 && payment.status !== 'completed'; reads += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    payment = await retrieve(payment.id);
  }
  const { id, status, beneficiary } = payment;
  const debit = (await list(filters)).find((each) => each.payment_id === id);
  const rejected = await create(order);
  const report = {
    quoted,
    id,
    status,
    beneficiary: beneficiary.name,
    bank: beneficiary.bank,
    amount: debit?.amount,
    balance: debit?.balance_after,
    error: typeof rejected === 'string' ? rejected : 'none',
  };
  console.log(JSON.stringify(report));
}
