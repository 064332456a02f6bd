import type { View } from '../domain/change.ts';
import { type Creation, decideCreate } from '../domain/create.ts';
import { toAmount } from '../domain/money.ts';
import { toWirePayment } from '../domain/payment.ts';
import { applyFault } from '../domain/fault.ts';
import { readPreset } from '../domain/plan.ts';
import { quoteExchange, toWireQuote } from '../domain/quote.ts';
import type { WithDecimals } from '../domain/json.ts';
import type { AccountState } from '../state/account-state.ts';
import { listTransactions } from '../state/history.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import {
  type Caller,
  type DispatchOptions,
  findAccountStateOf,
  transact,
  type State,
} from '../state/state.ts';
import type { Balance, OperationId } from '@service/contract';
import { type Body, readJsonBody } from './body.ts';
import { type MockResponse, type MockRequest, type CONNECTION_LOST } from './request.ts';
import { reserveKey, saveResponse, readIdempotencyKey, replay } from './idempotency.ts';
import { readTransactionQuery } from './query.ts';
import { renderPage } from './pagination.ts';
import { errorResponse, HttpError, okResponse, serviceFailure } from './response.ts';
import { validatePayment, validateQuote } from './validate.ts';

/** The request, the caller and the state for an operation. */
export interface OperationContext {
  readonly state: State;
  readonly caller: Caller;
  readonly request: MockRequest;
  /** The log entry of the request. */
  readonly record: LoggedRequest;
  readonly parameters: Readonly<Record<string, string>>;
  /** Resolves after the response was sent. */
  readonly flushed: Promise<void>;
}

/**
 * Handles a request of one operation.
 *
 * @throws {HttpError}
 */
export type Operation = (context: OperationContext) => Promise<MockResponse | typeof CONNECTION_LOST>;

/** The handler of each operation of the contract. */
export const operationTable: Readonly<Record<OperationId, Operation>> = {
  createQuote,
  createPayment,
  getPayment,
  getBalance,
  listTransactions: listTransactionPage,
};

async function createQuote(context: OperationContext): Promise<MockResponse> {
  const { accountState } = context.caller;
  const exchange = validateQuote(await readBody(context), accountState.profile);
  return okResponse(
    accountState.profile.quoteStatus,
    accountState,
    toWireQuote(quoteExchange(exchange, accountState.profile)),
  );
}

async function createPayment(context: OperationContext): Promise<MockResponse | typeof CONNECTION_LOST> {
  const { state, caller, request, record, flushed } = context;
  const { accountState } = caller;
  const body = await readBody(context);
  const key = readIdempotencyKey(request, accountState.profile);
  const now = state.clock.now();
  const reservation = key === undefined ? undefined : reserveKey(key, body, now);
  const earlier = reservation && replay(accountState, reservation, now);
  if (earlier !== undefined) return earlier;

  const order = validatePayment(body, accountState.profile);
  const { requestFault, isEventFirst } = readPreset(accountState.mode, order.beneficiary.account);
  const dispatchOptions: DispatchOptions = isEventFirst ? { ahead: true } : { after: flushed };
  const decide = (view: View): Creation => decideCreate(order, view, reservation);
  const { outcome, dispatched } = transact(state, accountState, { decide, ...dispatchOptions });
  if (!outcome.ok) throw new HttpError(outcome.error);
  record.payment_id = outcome.payment.id;
  const { createStatus } = accountState.profile;
  const response = okResponse(
    createStatus,
    accountState,
    toWirePayment(outcome.payment, accountState.profile),
  );
  if (reservation !== undefined) saveResponse(accountState, reservation, response);
  if (dispatchOptions.ahead) await holdKey(accountState, key, dispatched);
  if (requestFault === undefined) return response;
  // A magic value fails like the service, without a message about a fault.
  return applyFault(requestFault, response, () => errorResponse(serviceFailure, accountState));
}

/** Marks the key as running until a promise resolves. */
async function holdKey(
  accountState: AccountState,
  key: string | undefined,
  promise: Promise<void>,
): Promise<void> {
  if (key !== undefined) accountState.running.add(key);
  await promise;
  if (key !== undefined) accountState.running.delete(key);
}

/** Reads the JSON body. The profile selects the status for a malformed one. */
async function readBody({ request, caller, record }: OperationContext): Promise<Body> {
  try {
    return await readJsonBody(request, record);
  } catch (error) {
    const isMalformed = error instanceof HttpError && error.error.type === 'invalid_request_error';
    if (!isMalformed || caller.accountState.profile.malformedBody === 400) throw error;
    throw new HttpError({ ...error.error, type: 'validation_error' });
  }
}

async function getPayment({ state, caller, parameters }: OperationContext): Promise<MockResponse> {
  const { accountState } = caller;
  const id = parameters.payment_id ?? '';
  const payment = accountState.payments.get(id);
  if (payment !== undefined)
    return okResponse(200, accountState, toWirePayment(payment, accountState.profile));
  if (
    accountState.profile.foreignPayment === 'permission_error' &&
    findAccountStateOf(state, id) !== undefined
  ) {
    throw new HttpError({ type: 'permission_error', message: 'The payment belongs to another account.' });
  }
  throw new HttpError({ type: 'not_found', message: 'There is no such payment.' });
}

async function getBalance({ caller }: OperationContext): Promise<MockResponse> {
  const { accountState } = caller;
  const wallets = [...(accountState.ledger.get('wallet') ?? [])].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const data: WithDecimals<Balance> = {
    balances: wallets.map(([currency, balance]) => ({ currency, balance: toAmount(balance) })),
  };
  return okResponse(200, accountState, data);
}

async function listTransactionPage({ caller, request }: OperationContext): Promise<MockResponse> {
  const { accountState } = caller;
  const asked = readTransactionQuery(new URLSearchParams(request.search), accountState.profile);
  const { data, headers } = renderPage(listTransactions(accountState, asked), asked, accountState.profile);
  const response = okResponse(200, accountState, data);
  const links = [response.headers.Link, headers.Link].filter((link) => link !== undefined);
  const joined = links.length > 0 ? { Link: links.join(', ') } : {};
  return { ...response, headers: { ...response.headers, ...headers, ...joined } };
}
