import {
  getTransactionStatus,
  readPaymentOrder,
  readQuoteRequest,
  toPaymentDto,
  toQuoteDto,
  toTransactionDto,
} from './contracts.ts';
import type { DbContext } from './db-context.ts';
import { paymentStatuses, transactionTypes } from './entities.ts';
import { readJsonBody, type Action } from './http.ts';
import { writeMoney } from './json-writer.ts';
import { ModelState } from './model-state.ts';
import type { PaymentService } from './payment-service.ts';
import { createValidationProblem } from './problems.ts';
import { bindEnum, bindInteger } from './query-binding.ts';
import { createQuote } from './quotes.ts';
import type { Route } from './routing.ts';
import { maxLength, range, validateProperty } from './validation.ts';

export interface ControllerOptions {
  readonly db: DbContext;
  readonly payments: PaymentService;
  /** Maximum size of a request body, in bytes. */
  readonly maxRequestBodySize: number;
}

const maxInt32 = 2_147_483_647;
const defaultPerPage = 20;
const pageLimits = range({ units: 1n, scale: 0 }, { units: BigInt(maxInt32), scale: 0 });
const perPageLimits = range({ units: 1n, scale: 0 }, { units: 100n, scale: 0 });

/** Returns the routes of all controllers. */
export function mapControllers(options: ControllerOptions): readonly Route[] {
  const { payments, maxRequestBodySize } = options;
  return [
    {
      method: 'POST',
      template: '/quotes',
      action: async ({ request }) => {
        const quote = createQuote(readQuoteRequest(await readJsonBody(request, maxRequestBodySize)));
        return { status: 200, data: toQuoteDto(quote) };
      },
    },
    { method: 'POST', template: '/payments', action: createPayment(options) },
    {
      method: 'GET',
      template: '/payments/{paymentId}',
      action: ({ environment, routeValues: [id = ''] }) => ({
        status: 200,
        data: toPaymentDto(payments.get(environment, id)),
      }),
    },
    {
      method: 'GET',
      template: '/balance',
      action: ({ environment }) => ({
        status: 200,
        data: {
          balances: Array.from(environment.wallets, ([currency, balance]) => ({
            currency,
            balance: writeMoney(balance),
          })),
        },
      }),
    },
    { method: 'GET', template: '/transactions', action: listTransactions(options) },
  ];
}

function createPayment({ payments, maxRequestBodySize }: ControllerOptions): Action {
  return async ({ request, url, environment }) => {
    const order = readPaymentOrder(await readJsonBody(request, maxRequestBodySize));
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const { payment, isReplayed } = payments.create(environment, order, idempotencyKey);
    const data = toPaymentDto(payment);
    if (isReplayed) return { status: 200, data, headers: { 'Idempotency-Replayed': 'true' } };
    return {
      status: 201,
      data,
      headers: { Location: `${url.origin}/api/v1/payments/${payment.id}` },
    };
  };
}

function readIdempotencyKey(header: string | string[] | undefined): string | null {
  const key = header === undefined || header === '' ? null : String(header);
  const modelState = new ModelState();
  const property = { displayName: 'idempotencyKey', attributes: [maxLength(64)] };
  validateProperty(modelState, 'Idempotency-Key', property, key);
  if (!modelState.isValid) throw createValidationProblem(modelState);
  return key;
}

function listTransactions({ db }: ControllerOptions): Action {
  return ({ url, environment }) => {
    const query = url.searchParams;
    const modelState = new ModelState();
    const page = bindInteger(modelState, query, 'page', 'Page', 1);
    const perPage = bindInteger(modelState, query, 'per_page', 'PerPage', defaultPerPage);
    const status = bindEnum(modelState, query, 'status', 'Status', paymentStatuses);
    const type = bindEnum(modelState, query, 'type', 'Type', transactionTypes);
    validateProperty(modelState, 'page', { displayName: 'Page', attributes: [pageLimits] }, page);
    const perPageProperty = { displayName: 'PerPage', attributes: [perPageLimits] };
    validateProperty(modelState, 'per_page', perPageProperty, perPage);
    if (!modelState.isValid) throw createValidationProblem(modelState);

    const rows = db.transactions
      .filter(
        (row) =>
          row.environment === environment &&
          (status === null || getTransactionStatus(row) === status) &&
          (type === null || row.type === type),
      )
      .toReversed();
    const totalPages = Math.ceil(rows.length / perPage);
    return {
      status: 200,
      data: {
        items: rows.slice((page - 1) * perPage, page * perPage).map(toTransactionDto),
        page,
        per_page: perPage,
        total_count: rows.length,
        total_pages: totalPages,
        has_previous_page: page > 1,
        has_next_page: page < totalPages,
      },
    };
  };
}
