import type { OperationId } from '@service/contract';
import { quoteExchange, toAmount } from '../domain/money.ts';
import { writeQuote } from '../domain/quote.ts';
import { documentedBalance, fill } from '../domain/shapes.ts';
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

function createQuote({ caller, body }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const quote = quoteExchange(validateQuote(body, profile), profile);
  return respond('createQuote', caller, { data: writeQuote(quote, profile), status: profile.quoteStatus });
}

function getPayment({ state, caller, parameters }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const id = parameters.payment_id ?? '';
  const payment = accountState.payments.get(id);
  if (payment !== undefined) return { response: respondWithPayment('getPayment', accountState, payment) };
  if (profile.foreignPayment === 'permission_error' && findAccountStateOf(state, id) !== undefined) {
    const message = 'The payment belongs to another account.';
    throw new HttpError({ type: 'permission_error', message, refusal: 'foreign_payment' });
  }
  throw new HttpError({
    type: 'not_found',
    message: 'There is no such payment.',
    refusal: 'unknown_payment',
  });
}

function getBalance({ caller }: OperationContext): OperationResult {
  const { profile, ledger } = caller.accountState;
  const wallets = [...(ledger.get('wallet') ?? [])]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, balance]) => ({ name: currency, facts: { currency, balance: toAmount(balance) } }));
  const template = profile.balanceShape === 'documented' ? documentedBalance : profile.balanceShape;
  return respond('getBalance', caller, { data: fill(template, {}, { profile, lists: { wallets } }) });
}

function respond(
  operation: OperationId,
  { accountState }: Caller,
  answer: Omit<Answer, 'operation'>,
): OperationResult {
  return { response: okResponse(accountState, { operation, ...answer }) };
}
