import type { OperationId } from '@service/contract';
import { listPlaceholders, memoize, type Signal } from '@service/internal';
import { quoteExchange } from '../domain/money.ts';
import { toAmount } from '../domain/json.ts';
import { paymentAt, paymentFacts, quoteFacts } from '../domain/payment.ts';
import type { Profile } from '../domain/profile.ts';
import { balancesAt, readTime, reservedAt } from '../state/history.ts';
import { type Caller, findAccountStateOf, type State } from '../state/state.ts';
import { createPayment } from './create-payment.ts';
import { HttpError } from './errors.ts';
import { listTransactionPage } from './list-transactions.ts';
import { okResponse, type ResponseContext } from './response.ts';
import { validateQuote } from './validate.ts';
import type { Body } from './body.ts';
import type { MockRequest, MockResult } from './request.ts';

/** The handler of each operation of the contract. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

function createQuote({ state, caller, context, body }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const market = { now: state.clock.now(), seed: state.seed };
  const quote = quoteExchange(validateQuote(body, profile), profile, market);
  const status = profile.successStatus.createQuote;
  const facts = quoteFacts(quote);
  const answer = { operation: 'createQuote', template: profile.quoteShape, facts, status } as const;
  return { response: okResponse(context, answer) };
}

function getPayment({ state, caller, context, parameters }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const id = parameters.payment_id ?? '';
  const payment = accountState.payments.get(id);
  const time = readTime(profile.readLag.payments, state.clock.now());
  const shown = payment && time !== undefined ? paymentAt(payment, time) : payment;
  const facts = { payment_id: id };
  if (shown !== undefined) {
    const shownFacts = paymentFacts(shown, profile);
    const answer = { operation: 'getPayment', facts: shownFacts, template: profile.paymentShape } as const;
    return { response: okResponse(context, answer) };
  }
  const isForeign = payment === undefined && findAccountStateOf(state, id) !== undefined;
  const refusal = isForeign ? 'foreign_payment' : id.startsWith('pay_') ? 'unknown_payment' : 'malformed_id';
  throw new HttpError({ type: 'not_found', message: 'There is no such payment.', refusal }, { facts });
}

/** Returns whether a template shows values of the payments that have not ended, which take time to sum up. */
const showsOpen = memoize((template: Profile['balanceShape']): boolean =>
  listPlaceholders(template).some(({ name }) => /^(?:open|total)$/.test(name)),
);

function getBalance({ state, caller, context }: OperationContext): OperationResult {
  const { accountState } = caller;
  const { profile } = accountState;
  const time = readTime(profile.readLag.balance, state.clock.now());
  const held = reservedAt(accountState, time);
  const open = reservedAt(accountState, time, showsOpen(profile.balanceShape));
  const wallets = [...balancesAt(accountState, time)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, balance]) => {
      const reserved = held.get(currency) ?? 0n;
      const available = toAmount(balance - reserved);
      const pending = open.get(currency) ?? 0n;
      const facts = {
        currency,
        balance: toAmount(balance),
        available,
        reserved: toAmount(reserved),
        open: toAmount(pending),
        total: toAmount(balance + pending),
      };
      return { name: currency, facts };
    });
  const answer = { operation: 'getBalance', template: profile.balanceShape, lists: { wallets } } as const;
  return { response: okResponse(context, answer) };
}

/** The checked request of an operation. */
export interface OperationContext {
  readonly state: State;
  readonly caller: Caller;
  readonly context: ResponseContext;
  readonly request: MockRequest;
  readonly body: Body;
  /** The path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Fires after the response was sent. */
  readonly sent: Signal;
}

/** The response of an operation and the payment that it created. */
export interface OperationResult {
  readonly response: MockResult;
  /** @default null */
  readonly payment_id?: string;
  /** The response waits for this promise. */
  readonly until?: Promise<void> | undefined;
}

/**
 * Runs one operation of the contract, in one synchronous step.
 *
 * @throws {HttpError}
 */
export type Operation = (context: OperationContext) => OperationResult;
