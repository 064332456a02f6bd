import type { Currency } from '@service/contract';
import manifest from '../../../package.json' with { type: 'json' };
import { signAsync } from '@service/webhooks/edge';
import type { Delivery } from '../../domain/delivery.ts';
import type { Transaction } from '../../domain/ledger.ts';
import { toAmount } from '../../domain/json.ts';
import { drawId } from '../../domain/ids.ts';
import { type AccountState, availableOf, balanceOf } from '../../state/state.ts';
import type { LoggedRequest } from '../../state/request-log.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { createFindEffects, type RequestView, toRequestView } from './requests.ts';
import { accountMode, ownPayment, reference } from '../fields.ts';
import { toClockView } from './clock.ts';
import { findAccountState, findPayment, formatId } from '../locate.ts';
import { type Context, type Operation, operation } from '../operation.ts';
import { page, type PageOptions, takePage } from '../page.ts';
import { type PaymentDetail, type PaymentSummary, toPaymentDetail, toPaymentSummary } from './payments.ts';
import * as s from '../../domain/schema.ts';
import { copyDelivery, findDelivery, type IssuedSecret } from './webhooks.ts';

/** The balance of one currency. Amounts are decimal text. */
export interface WalletView extends ReturnType<typeof toWalletView> {}

/** A change of a wallet, with the balance after it. */
export interface WalletRow extends ReturnType<typeof toWalletRow> {}

/** The clock, and what changes with everything that a page shows. */
export interface Overview extends ReturnType<typeof countChanges> {}

/** A page of rows, newest first. */
export interface Rows<Row> {
  readonly rows: readonly Row[];
  /** The number of rows on all pages. */
  readonly total: number;
}

/** A delivery, and the signature of its body with the current secret of the endpoint. */
interface DeliveryDetail extends Delivery {
  /** Null without an endpoint. */
  readonly signature: string | null;
}

/** The state of the sandbox as the dashboard shows it. */
export const views: Readonly<Record<string, Operation>> = {
  /** Returns the payments of an account and mode, newest first. */
  payments: operation('listPayments', 'GET /payments', {
    input: { ...accountMode, ...page },
    cli: { command: 'payment list' },
    run({ state }, input): Rows<PaymentSummary> {
      const { account, payments } = findAccountState(state, input);
      return paginate([...payments.values()], input, (payment) => toPaymentSummary(payment, account));
    },
  }),
  /** Returns a payment with its timeline, ledger entries, events and deliveries. */
  payment: operation('getPayment', 'GET /payments/{payment}', {
    input: ownPayment,
    cli: { command: 'payment show' },
    run({ state }, input): PaymentDetail {
      const { accountState, payment } = findPayment(state, input.payment);
      return toPaymentDetail(payment, accountState);
    },
  }),
  /** Returns the wallets of an account and mode. */
  wallets: operation('listWallets', 'GET /wallets', {
    input: accountMode,
    cli: { command: 'wallet list' },
    run: ({ state }, input) => ({ wallets: listWallets(findAccountState(state, input)) }),
  }),
  /** Returns the changes of the wallets of an account and mode with the balance after each, newest first. */
  history: operation('listWalletRows', 'GET /wallets/history', {
    input: {
      ...accountMode,
      currency: s.optional(s.text('a currency code', { examples: ['USD'] })),
      ...page,
    },
    cli: { command: 'wallet history' },
    run({ state }, { currency, ...input }): Rows<WalletRow> {
      const accountState = findAccountState(state, input);
      const all = accountState.transactions
        .map((transaction, index) => ({ transaction, index }))
        .filter(({ transaction }) => currency === undefined || transaction.currency === currency);
      return paginate(all, input, ({ transaction, index }) => toWalletRow(accountState, transaction, index));
    },
  }),
  /** Returns a logged request with its response and effects. */
  request: operation('getRequest', 'GET /requests/{request}', {
    input: { request: reference('request', 'req_000001') },
    cli: { command: 'requests show' },
    run: (context, { request }): RequestView =>
      toRequestView(findRequest(context, request), createFindEffects()),
  }),
  /** Returns the signing secret of the endpoint of an account and mode, to set the same endpoint again later. */
  secret: operation('getSecret', 'GET /webhooks/endpoint/secret', {
    cli: 'none',
    input: accountMode,
    run({ state }, input): IssuedSecret {
      const { endpoint } = findAccountState(state, input);
      if (endpoint !== null) return { secret: endpoint.secret };
      throw new SandboxError('not_found', 'There is no endpoint, so there is no secret.');
    },
  }),
  /** Returns a delivery with its attempts, and the signature of its body with the current secret. */
  delivery: operation('getDelivery', 'GET /webhooks/deliveries/{delivery}', {
    input: { delivery: reference('delivery', 'dlv_test_…') },
    cli: { command: 'deliveries show' },
    async run({ state }, input): Promise<DeliveryDetail> {
      const { accountState, delivery } = findDelivery(state, input.delivery);
      const { endpoint } = accountState;
      const signature = endpoint === null ? null : await signAsync(delivery.body, endpoint.secret);
      return { ...copyDelivery(delivery), signature };
    },
  }),
  /** Returns a text that is another one after each change, and the clock. Read the lists again after a change. */
  changes: operation('getChanges', 'GET /changes', {
    cli: 'none',
    input: {},
    run: (context): Overview => countChanges(context),
  }),
};

function countChanges(context: Context) {
  const { state, faults, requestLog } = context;
  const injected = faults.request.list().length + faults.delivery.list().length;
  return {
    ...toClockView(context),
    /** Another text after each change of the state, each response and each injected fault. */
    version: `${state.restores}-${state.changes.count}-${requestLog.completed}-${injected}`,
  };
}

/**
 * Returns a logged request.
 *
 * @throws {SandboxError} when it is not in the log, or is not one of the account
 */
export function findRequest({ requestLog }: Context, id: string, account?: string): LoggedRequest {
  const record = requestLog.list().findLast((each) => each.id === id);
  if (record !== undefined && (account === undefined || record.account === account)) return record;
  throw new SandboxError('not_found', `There is no logged request ${formatId(id)}.`);
}

function listWallets(accountState: AccountState): WalletView[] {
  const wallets = accountState.ledger.get('wallet')?.keys() ?? [];
  return [...wallets].map((currency) => toWalletView(accountState, currency));
}

function toWalletView(accountState: AccountState, currency: Currency) {
  return {
    currency,
    balance: toAmount(balanceOf(accountState, 'wallet', currency)).toString(),
    /** The balance without the amounts that payments reserve. */
    available: toAmount(availableOf(accountState, currency)).toString(),
    reserved: toAmount(accountState.reserved.get(currency) ?? 0n).toString(),
  };
}

function toWalletRow(accountState: AccountState, transaction: Transaction, index: number) {
  const { type, currency, payment_id } = transaction;
  return {
    id: drawId(accountState, 'txn', index + 1),
    type,
    currency,
    amount: toAmount(transaction.amount).toString(),
    balance_after: toAmount(transaction.balance_after).toString(),
    payment_id,
    /** Sandbox time, ISO 8601. */
    at: new Date(transaction.created_at).toISOString(),
  };
}

/** Converts the asked part of a list, newest first. */
function paginate<Item, Row>(all: readonly Item[], part: PageOptions, toRow: (item: Item) => Row): Rows<Row> {
  const shown = takePage(all, part).toReversed();
  return { rows: shown.map((item) => toRow(item)), total: all.length };
}

/** The health of the sandbox, and the document of this API. */
export const server: Readonly<Record<string, Operation>> = {
  /**
   * Checks that the sandbox is running and accepts payments. Responds 503 while changes cannot be stored. Needs no token and
   * accepts any host.
   */
  health: operation('getHealth', 'GET /health', {
    isOpen: true,
    input: {},
    run(context) {
      const failure = context.state.changes.recorder?.failure;
      if (failure !== undefined) throw failure;
      return { status: 'ok' as const, ...toClockView(context), version: manifest.version };
    },
  }),
  /** Returns the OpenAPI document of the control API. */
  openapi: operation('getDocument', 'GET /openapi.json', {
    cli: { isDocument: true },
    input: {},
    run: async (): Promise<Readonly<Record<string, unknown>>> =>
      (await import('@service/mock/openapi')).document as Readonly<Record<string, unknown>>,
  }),
};
