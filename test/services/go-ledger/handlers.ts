import { formatCents } from './decimal.ts';
import { encodeJson } from './json.ts';
import { formatPayment, type Payment } from './payment.ts';
import { formatQuote, type Price, priceTransfer } from './pricing.ts';
import { errorInfo, Problem, validationProblem } from './problem.ts';
import { type PaymentRequest, readPaymentRequest, readQuoteRequest } from './requests.ts';
import { type Call, type Result, Router } from './router.ts';
import { type Settlement, testAccounts } from './settlement.ts';
import type { Tenant } from './tenants.ts';
import { listTransactions } from './transactions.ts';

/** Largest amount of one payment, in hundredths of the source currency. */
const PAYMENT_LIMIT = 4_000_000n;
const MAX_KEY_LENGTH = 64;

export interface ApiContext {
  readonly now: () => number;
  readonly nextUlid: (time: number) => string;
  readonly settlement: Settlement;
}

export function createRouter(context: ApiContext): Router {
  const router = new Router();
  router.handle('POST', '/quotes', ({ body }) => {
    const { from, to, send } = readQuoteRequest(body);
    return { status: 200, data: formatQuote(priceTransfer(from, to, send)) };
  });
  router.handle('POST', '/payments', (call) => createPayment(context, call));
  router.handle('GET', '/payments/{payment_id}', ({ tenant, parameter }) => {
    const payment = tenant.payments.get(parameter);
    if (payment !== undefined) return { status: 200, data: formatPayment(payment) };
    throw new Problem({
      httpStatus: 404,
      type: 'not_found',
      code: 'NOT_FOUND',
      message: 'payment not found',
    });
  });
  router.handle('GET', '/balance', ({ tenant }) => ({
    status: 200,
    data: { balances: tenant.ledger.formatBalances() },
  }));
  router.handle('GET', '/transactions', ({ tenant, query }) => ({
    status: 200,
    data: listTransactions(tenant.ledger, query),
  }));
  return router;
}

/** A repeated idempotency key returns the payment as it is now. Refused requests do not use up the key. */
function createPayment(context: ApiContext, { tenant, headers, body }: Call): Result {
  const request = readPaymentRequest(body);
  const key = readIdempotencyKey(headers['idempotency-key']);
  const text = encodeJson({ ...request, send: request.send.toString() });
  const known = tenant.idempotency.get(key);
  if (known !== undefined) {
    if (known.request !== text) throw keyReused();
    return {
      status: 200,
      data: formatPayment(known.payment),
      headers: { 'idempotency-replayed': 'true' },
    };
  }
  const price = priceTransfer(request.from, request.to, request.send);
  checkRail(tenant, request);
  checkFunds(tenant, price);
  const payment = addPayment(context, tenant, request);
  tenant.ledger.hold(payment.id, price.from, price);
  context.settlement.accept(payment);
  if (key !== '') tenant.idempotency.set(key, { request: text, payment });
  const location = `/api/v1/payments/${payment.id}`;
  return { status: 202, data: formatPayment(payment), headers: { location } };
}

export function addPayment(
  { now, nextUlid }: Pick<ApiContext, 'now' | 'nextUlid'>,
  tenant: Tenant,
  request: PaymentRequest,
): Payment {
  const createdAt = now();
  const payment: Payment = {
    id: `pay_${tenant.mode}_${nextUlid(createdAt)}`,
    tenant,
    price: priceTransfer(request.from, request.to, request.send),
    beneficiary: request.beneficiary,
    purpose: request.purpose,
    createdAt,
    status: 'pending',
    railReference: undefined,
    completedAt: undefined,
    failure: undefined,
  };
  tenant.payments.set(payment.id, payment);
  return payment;
}

function readIdempotencyKey(header: string | readonly string[] | undefined): string {
  const key = typeof header === 'string' ? header : '';
  if (key.length <= MAX_KEY_LENGTH) return key;
  const description = `value length must be at most ${MAX_KEY_LENGTH} bytes`;
  throw validationProblem('CreatePaymentRequest', [{ field: 'idempotency_key', description }]);
}

function keyReused(): Problem {
  return new Problem({
    httpStatus: 409,
    type: 'idempotency_conflict',
    code: 'ALREADY_EXISTS',
    message: 'idempotency key was used for another payment',
  });
}

function checkRail(tenant: Tenant, { beneficiary }: PaymentRequest): void {
  if (tenant.mode !== 'test' || beneficiary.account !== testAccounts.outage) return;
  throw new Problem({
    httpStatus: 503,
    type: 'unavailable',
    code: 'UNAVAILABLE',
    message: 'the payout rail does not answer',
    headers: { 'retry-after': '3' },
  });
}

/** Checks the wallet before the limit, so that a payment over both reports the wallet. */
function checkFunds({ ledger }: Tenant, { from, send, fee }: Price): void {
  const available = ledger.available(from);
  const metadata = { currency: from, available: formatCents(available), required: formatCents(send + fee) };
  if (send + fee > available)
    throw new Problem({
      httpStatus: 422,
      type: 'insufficient_funds',
      code: 'FAILED_PRECONDITION',
      message: `available ${from} balance is lower than amount plus fee`,
      details: [errorInfo('INSUFFICIENT_FUNDS', metadata)],
    });
  if (send > PAYMENT_LIMIT)
    throw new Problem({
      httpStatus: 422,
      type: 'limit_exceeded',
      code: 'FAILED_PRECONDITION',
      message: `amount exceeds the limit of one payment`,
      details: [errorInfo('PAYMENT_LIMIT', { currency: from, limit: formatCents(PAYMENT_LIMIT) })],
    });
}
