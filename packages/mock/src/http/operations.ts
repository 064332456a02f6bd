import type { Balance, OperationId } from '@service/contract';
import type { Json, WithDecimals } from '../domain/json.ts';
import { quoteExchange, toAmount, toWireQuote } from '../domain/money.ts';
import { toWirePayment } from '../domain/payment.ts';
import { type Caller, findAccountStateOf } from '../state/state.ts';
import { createPayment } from './create-payment.ts';
import { HttpError } from './errors.ts';
import { listTransactionPage } from './list-transactions.ts';
import type { Operation, OperationContext, OperationResult } from './operation.ts';
import { okResponse } from './response.ts';
import { validateQuote } from './validate.ts';

/** The handler of each operation of the contract. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

function createQuote({ caller, body }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const quote = quoteExchange(validateQuote(body, profile), profile);
  return createResult(caller, toWireQuote(quote), profile.quoteStatus);
}

function getPayment({ state, caller, parameters }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const id = parameters.payment_id ?? '';
  const payment = accountState.payments.get(id);
  if (payment !== undefined) return createResult(caller, toWirePayment(payment, profile));
  if (profile.foreignPayment === 'permission_error' && findAccountStateOf(state, id) !== undefined) {
    throw new HttpError({ type: 'permission_error', message: 'The payment belongs to another account.' });
  }
  throw new HttpError({ type: 'not_found', message: 'There is no such payment.' });
}

function getBalance({ caller }: OperationContext): OperationResult {
  const wallets = [...(caller.accountState.ledger.get('wallet') ?? [])];
  const data: WithDecimals<Balance> = {
    balances: wallets
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, balance]) => ({ currency, balance: toAmount(balance) })),
  };
  return createResult(caller, data);
}

function createResult({ accountState }: Caller, data: Json, status = 200): OperationResult {
  return { response: okResponse(status, accountState, data) };
}
