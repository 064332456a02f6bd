import type { IncomingHttpHeaders } from 'node:http';
import type { Environment } from './environment.ts';
import { presentTransaction, transactionTypes } from './ledger.ts';
import { paymentStatuses, presentPayment } from './payment.ts';
import { createPaymentDto } from './payments.ts';
import { createQuoteDto, presentQuote } from './quotes.ts';
import { optionalChoice, queryInteger, validate } from './validation.ts';

export interface ControllerRequest {
  readonly environment: Environment;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
}

export interface ControllerResult {
  readonly data: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly statusCode: number;
  readonly run: (request: ControllerRequest) => ControllerResult;
}

const listTransactionsDto = {
  page: queryInteger(0, 0),
  per_page: queryInteger(20, 1, 100),
  status: optionalChoice(paymentStatuses),
  type: optionalChoice(transactionTypes),
};

function createQuote({ environment, body }: ControllerRequest): ControllerResult {
  return { data: presentQuote(environment.quotes.create(validate(createQuoteDto, body))) };
}

function createPayment({ environment, body, headers }: ControllerRequest): ControllerResult {
  const dto = validate(createPaymentDto, body);
  const key = headers['idempotency-key'];
  const { result, isReplay } = environment.idempotency.run(
    typeof key === 'string' ? key.trim() : undefined,
    dto,
    () => presentPayment(environment.payments.create(dto)),
  );
  return { data: result, ...(isReplay && { headers: { 'idempotency-replayed': 'true' } }) };
}

function readPayment({ environment, params }: ControllerRequest): ControllerResult {
  return { data: presentPayment(environment.payments.find(params['id'] ?? '')) };
}

function readBalance({ environment }: ControllerRequest): ControllerResult {
  return { data: { balances: environment.ledger.presentBalances() } };
}

function listTransactions({ environment, query }: ControllerRequest): ControllerResult {
  const { page: number, per_page: size, status, type } = validate(listTransactionsDto, query);
  const rows = environment.ledger.list(status, type);
  const content = rows.slice(number * size, (number + 1) * size).map(presentTransaction);
  const page = { number, size, total_elements: rows.length, total_pages: Math.ceil(rows.length / size) };
  return { data: { content, page } };
}

export const operations: readonly Operation[] = [
  { method: 'POST', path: '/quotes', statusCode: 201, run: createQuote },
  { method: 'POST', path: '/payments', statusCode: 201, run: createPayment },
  { method: 'GET', path: '/payments/:id', statusCode: 200, run: readPayment },
  { method: 'GET', path: '/balance', statusCode: 200, run: readBalance },
  { method: 'GET', path: '/transactions', statusCode: 200, run: listTransactions },
];
