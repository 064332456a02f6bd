import { adaptFetch } from '../../../test/support/on-request.ts';
import { assembleClient } from '../src/client.ts';
import type { Client, Payment } from '../src/index.ts';
import { type Clock, systemClock } from '../src/transport/deadline.ts';
import { baseUrl, testKey } from './service.ts';

export type Row = Record<string, unknown>;

/** The replaceable parts of the payment service. */
export interface ServiceOptions {
  /** The clock of the service, in milliseconds. */
  readonly now?: () => number;
  readonly hasDateHeader?: boolean;
  /** Converts a payment to the form in responses. */
  readonly toBody?: (payment: Payment) => object;
  readonly toRow?: (payment: Payment) => Row;
  /** Converts a list to the `data` of its response. */
  readonly toPage?: (rows: readonly Row[], page: number) => unknown;
  readonly takeAmount?: (amount: number) => number;
}

/** A payments service in memory, written after `docs/contract.md` and not after the mock. */
export interface PaymentService {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly payments: Payment[];
  /** Rows without a payment, newest last. */
  readonly extraRows: Row[];
  /** Error statuses of `GET /payments/{id}`, by id. */
  readonly errorStatuses: Map<string, number>;
  /** The requested paths. */
  readonly requests: string[];
  /** Breaks the connection of the next create, before or after the payment is created. */
  loseNext(when: 'before' | 'after'): void;
}

export function createPaymentService(options: ServiceOptions = {}): PaymentService {
  const { now = Date.now, hasDateHeader = true, takeAmount = (amount) => amount } = options;
  const { toBody = (payment) => payment, toRow = toContractRow } = options;
  const { toPage = (rows) => ({ transactions: rows, pagination: { current_page: 1, has_more: false } }) } =
    options;
  const lostCreates: ('before' | 'after')[] = [];
  const service = {
    payments: [] as Payment[],
    extraRows: [] as Row[],
    errorStatuses: new Map<string, number>(),
    requests: [] as string[],
    loseNext: (when: 'before' | 'after') => void lostCreates.push(when),
    fetch: async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url);
      service.requests.push(`${request.method} ${pathname}`);
      if (request.method === 'POST') {
        const when = lostCreates.shift();
        if (when === 'before') throw new TypeError('the connection was reset');
        const payment = create((await request.json()) as Row);
        if (when === 'after') throw new TypeError('the connection was reset');
        return respond({ data: toBody(payment) }, 201);
      }
      if (pathname.endsWith('/transactions')) {
        const rows = [...service.payments.map(toRow), ...service.extraRows].toReversed();
        return respond({ data: toPage(rows, Number(searchParams.get('page') ?? 1)) });
      }
      const id = pathname.split('/').at(-1) ?? '';
      const payment = service.payments.find((one) => one.id === id);
      const status = service.errorStatuses.get(id) ?? (payment ? 200 : 404);
      return status === 200 && payment
        ? respond({ data: toBody(payment) })
        : respond({ success: false, error: { type: 'refused', message: `Refused with ${status}.` } }, status);
    },
  };
  const create = (body: Row): Payment => {
    const { beneficiary_name, beneficiary_account, beneficiary_bank, beneficiary_country } = body;
    const payment = {
      id: `pay_test_${String(service.payments.length + 1).padStart(6, '0')}`,
      status: 'pending',
      from_currency: body.from_currency,
      to_currency: body.to_currency,
      send_amount: takeAmount(Number(body.amount)),
      rate: 0.9,
      receive_amount: 90,
      beneficiary: {
        name: beneficiary_name,
        bank: beneficiary_bank ?? null,
        account: beneficiary_account ?? null,
        country: beneficiary_country ?? null,
      },
      purpose: body.purpose ?? null,
      created_at: new Date(now()).toISOString().replace('Z', '+00:00'),
    } as Payment;
    service.payments.push(payment);
    return payment;
  };
  const respond = (body: object, status = 200): Response => {
    const headers = hasDateHeader ? { date: new Date(now()).toUTCString() } : {};
    return Response.json({ success: true, mode: 'test', ...body }, { status, headers });
  };
  return service;
}

/** Creates a client of a service, without retries and without a read lag. */
export function openClient(
  fetch: PaymentService['fetch'],
  options: object = {},
  clock: Clock = systemClock,
): Client {
  const common = { apiKey: testKey, baseUrl, fetch, maxRetries: 0, readLag: 0, onWarning: () => {} };
  return assembleClient(adaptFetch({ ...common, ...options }), clock);
}

/** Converts a payment to the row that the contract documents. */
export function toContractRow(payment: Payment): Row {
  return {
    id: payment.id.replace('pay_', 'txn_'),
    type: 'payment',
    status: 'completed',
    currency: payment.from_currency,
    amount: -payment.send_amount,
    fee: null,
    balance_after: 0,
    payment_id: payment.id,
    reference: payment.purpose,
    created_at: payment.created_at,
  };
}
