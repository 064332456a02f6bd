import type { Payment, Quote } from '@service/contract'; // types only: nothing of it reaches the bundle

export interface Order {
  readonly from_currency: string;
  readonly to_currency: string;
  readonly amount: number;
}

/** Calls the back end of this page. The page has no API key; the back end adds it. */
async function call<Data>(path: string, init?: RequestInit): Promise<Data> {
  const response = await fetch(`/backend/payments${path}`, init);
  const { data, error } = await response.json();
  if (error) throw new Error(error.message);
  return data;
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const createQuote = (order: Order) => call<Quote>('/quotes', post(order));
export const createPayment = (order: Order, supplier: string) =>
  call<Payment>('/payments', post({ ...order, beneficiary_name: supplier }));
export const findPayment = (id: string) => call<Payment>(`/payments/${id}`);
