import type { OperationId } from '@service/contract';
import { quoteExchange, toAmount } from '../domain/money.ts';
import { paymentAt } from '../domain/payment.ts';
import { writeQuote } from '../domain/quote.ts';
import { fill } from '../domain/shapes.ts';
import { drawNumber } from '../domain/ids.ts';
import { balancesAt, readTime, reservedAt } from '../state/read-lag.ts';
import { type Caller, findAccountStateOf } from '../state/state.ts';
import { createPayment } from './create-payment.ts';
import { HttpError } from './errors.ts';
import { listTransactionPage } from './list-transactions.ts';
import type { Operation, OperationContext, OperationResult } from './operation.ts';
import { type Answer, okResponse, respondWithPayment } from './response.ts';
import { validateQuote } from './validate.ts';

/** The handler of each operation of the contract. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

function createQuote({ state, caller, body }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const quote = quoteExchange(validateQuote(body, profile), profile, {
    now: state.clock.now(),
    draw: (purpose) => drawNumber(state.seed, purpose),
  });
  const status = profile.successStatus.createQuote;
  return respond('createQuote', caller, { data: writeQuote(quote, profile), status });
}

function getPayment({ state, caller, parameters }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const id = parameters.payment_id ?? '';
  const payment = accountState.payments.get(id);
  const time = readTime(profile.readLag.payments, state.clock.now());
  const shown = payment && time !== undefined ? paymentAt(payment, time) : payment;
  const facts = { payment_id: id };
  if (shown !== undefined) return { response: respondWithPayment('getPayment', accountState, shown) };
  const isForeign = payment === undefined && findAccountStateOf(state, id) !== undefined;
  const refusal = isForeign ? 'foreign_payment' : id.startsWith('pay_') ? 'unknown_payment' : 'malformed_id';
  throw new HttpError({ type: 'not_found', message: 'There is no such payment.', refusal }, { facts });
}

function getBalance({ state, caller }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const time = readTime(profile.readLag.balance, state.clock.now());
  const held = reservedAt(accountState, time);
  const wallets = [...balancesAt(accountState, time)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, balance]) => {
      const reserved = held.get(currency) ?? 0n;
      const [available, ...others] = [balance - reserved, balance, reserved].map(toAmount);
      return { name: currency, facts: { currency, balance: others[0], available, reserved: others[1] } };
    });
  const data = fill(profile.balanceShape, {}, { profile, lists: { wallets } });
  return respond('getBalance', caller, { data });
}

function respond(
  operation: OperationId,
  { accountState }: Caller,
  answer: Omit<Answer, 'operation'>,
): OperationResult {
  return { response: okResponse(accountState, { operation, ...answer }) };
}
