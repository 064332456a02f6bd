import type { OperationId } from '@service/contract';
import { quoteExchange } from '../domain/money.ts';
import { toAmount, writeSuccess } from '../domain/json.ts';
import { paymentAt, paymentData, quoteData } from '../domain/payment.ts';
import { balancesAt, readTime } from '../state/history.ts';
import { findAccountStateOf } from '../state/state.ts';
import { createPayment } from './create-payment.ts';
import { HttpError } from './errors.ts';
import type { Operation, OperationContext, OperationResult } from './operation.ts';
import { listTransactionPage } from './list-transactions.ts';
import { validateQuote } from './validate.ts';

/** The handler of each operation of the contract. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

function createQuote({ context, body }: OperationContext): OperationResult {
  const { mode, profile } = context;
  const quote = quoteExchange(validateQuote(body, profile), profile);
  const written = writeSuccess(mode, quoteData(quote), profile.numbers);
  const headers = profile.headers.createQuote ?? {};
  return { response: { status: profile.successStatus.createQuote, headers, body: written } };
}

function getPayment({ state, caller, context, parameters }: OperationContext): OperationResult {
  const { mode, profile } = context;
  const id = parameters.payment_id ?? '';
  const found = caller.accountState.payments.get(id);
  const time = readTime(profile.readLag.payments, state.clock.now());
  const payment = found && time !== undefined ? paymentAt(found, time) : found;
  if (payment !== undefined) {
    const body = writeSuccess(mode, paymentData(payment, profile), profile.numbers);
    return { response: { status: 200, headers: profile.headers.getPayment ?? {}, body }, payment };
  }
  const isForeign = found === undefined && findAccountStateOf(state, id) !== undefined;
  const refusal = isForeign ? 'foreign_payment' : id.startsWith('pay_') ? 'unknown_payment' : 'malformed_id';
  throw new HttpError({ type: 'not_found', message: 'There is no such payment.', refusal });
}

function getBalance({ state, caller, context }: OperationContext): OperationResult {
  const { mode, profile } = context;
  const time = readTime(profile.readLag.balance, state.clock.now());
  const balances = [...balancesAt(caller.accountState, time)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, balance]) => ({ currency, balance: toAmount(balance) }));
  const body = writeSuccess(mode, { balances }, profile.numbers);
  return { response: { status: 200, headers: profile.headers.getBalance ?? {}, body } };
}
