import type { Currency } from '@service/contract';
import { sign } from '@service/webhooks/edge';
import type { Delivery } from '../../domain/delivery.ts';
import { toAmount } from '../../domain/money.ts';
import type { Status } from '../../domain/status.ts';
import { type AccountState, availableOf, transactionId } from '../../state/account-state.ts';
import { drawSeed } from '../../state/ids.ts';
import type { LoggedRequest } from '../../state/logged-request.ts';
import type { RequestLog } from '../../state/request-log.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import {
  type Changes,
  observeChanges,
  toDeliverySummary,
  toRequestSummary,
  type RequestSummary,
  type DeliverySummary,
} from '../changes.ts';
import { createFindEffects } from '../effects.ts';
import { accountMode, anyAccount, reference, status } from '../fields.ts';
import { checkLedger, type LedgerCheck } from '../ledger-checks.ts';
import { findAccount, findAccountId, findAccountState, findPayment, formatId } from '../locate.ts';
import type { Operation, Route, SandboxParts } from '../operation.ts';
import {
  type PaymentDetail,
  type PaymentSummary,
  toPaymentDetail,
  toPaymentSummary,
} from '../payment-view.ts';
import { type RequestView, toRequestView } from '../request-view.ts';
import { listOf, object, optional, text, whole } from '../../domain/schema.ts';
import type { Checked, Value, ValueFields } from '../../domain/value.ts';
import {
  deliveryDetail,
  type DeliveryDetail,
  deliverySummary,
  ledgerCheck,
  paymentDetail,
  paymentSummary,
  requestSummary,
  changes,
  type Rows,
  rowsOf,
  wallet,
  walletRow,
  type WalletRow,
  type WalletView,
} from '../view-schemas.ts';
import { type IssuedSecret, issuedSecret } from './endpoint.ts';
import { requestView } from './requests.ts';
import { copyDelivery, findDelivery } from './webhooks.ts';

const MAX_ROWS = 1_000;

/** The part of a list to return. */
const page = {
  limit: optional(whole(1, MAX_ROWS, { default: 100 })),
  offset: optional(whole(0, 1_000_000_000, { default: 0 })),
};

interface View<All extends ValueFields, Body> extends Route {
  readonly input: All;
  readonly output: Value<Body, never>;
  readonly run: (parts: SandboxParts, input: Checked<All>) => Body | Promise<Body>;
}

/** Defines an operation that exists over HTTP only. */
function defineView<All extends ValueFields, Body>(view: View<All, Body>): Operation & Route {
  return view;
}

/** The state of the sandbox as the dashboard shows it. */
export const views: Readonly<Record<string, Operation & Route>> = {
  /** Returns the payments of an account and mode, newest first. */
  payments: defineView({
    id: 'listPayments',
    method: 'GET',
    path: '/payments',
    input: { ...accountMode, status: optional(status), ...page },
    output: rowsOf(paymentSummary),
    cli: { command: 'payment list' },
    run({ state }, { status: wanted, ...input }): Rows<PaymentSummary> {
      const { id, byMode } = findAccount(state, input.account);
      const { payments } = byMode[input.mode ?? 'test'];
      const isAsked = (one: { readonly status: Status }): boolean =>
        wanted === undefined || one.status === wanted;
      const all = [...payments.values()].filter(isAsked);
      return paginate(all, input, (payment) => toPaymentSummary(payment, id));
    },
  }),
  /** Returns a payment with its timeline, ledger entries, events and deliveries. */
  payment: defineView({
    id: 'getPayment',
    method: 'GET',
    path: '/payments/{payment}',
    input: { payment: reference<string>('payment', 'pay_test_…') },
    output: paymentDetail,
    checkOwner: ({ state }, { payment }, account) => void findPayment(state, String(payment), account),
    cli: { command: 'payment show' },
    run({ state }, input): PaymentDetail {
      const { accountState, payment } = findPayment(state, input.payment);
      return toPaymentDetail(payment, accountState);
    },
  }),
  /** Returns the wallets of an account and mode. */
  wallets: defineView({
    id: 'listWallets',
    method: 'GET',
    path: '/wallets',
    input: accountMode,
    output: object<{ readonly wallets: readonly WalletView[] }>({ wallets: listOf(wallet) }),
    cli: { command: 'wallet list' },
    run: ({ state }, input) => ({ wallets: listWallets(findAccountState(state, input)) }),
  }),
  /** Returns the changes of the wallets of an account and mode with the balance after each, newest first. */
  history: defineView({
    id: 'listWalletRows',
    method: 'GET',
    path: '/wallets/history',
    input: {
      ...accountMode,
      currency: optional(text('a currency code', { examples: ['USD'] })),
      ...page,
    },
    output: rowsOf(walletRow),
    cli: { command: 'wallet history' },
    run({ state }, { currency, ...input }): Rows<WalletRow> {
      const accountState = findAccountState(state, input);
      const all = accountState.transactions
        .map((transaction, index) => ({ transaction, index }))
        .filter(({ transaction }) => currency === undefined || transaction.currency === currency);
      return paginate(all, input, ({ transaction, index }) => ({
        id: transactionId(accountState, index),
        type: transaction.type,
        currency: transaction.currency,
        amount: toAmount(transaction.amount).toString(),
        balance_after: toAmount(transaction.balance_after).toString(),
        payment_id: transaction.payment_id,
        at: new Date(transaction.created_at).toISOString(),
      }));
    },
  }),
  /** Checks the ledger of an account and mode against its payments and transactions. */
  checks: defineView({
    id: 'checkLedger',
    method: 'GET',
    path: '/wallets/checks',
    input: accountMode,
    output: object<{ readonly checks: readonly LedgerCheck[] }>({ checks: listOf(ledgerCheck) }),
    cli: { command: 'wallet check' },
    run: ({ state }, input) => ({ checks: checkLedger(findAccountState(state, input)) }),
  }),
  /** Returns the logged requests without headers and bodies, newest first. */
  requestSummaries: defineView({
    id: 'listRequestSummaries',
    method: 'GET',
    path: '/requests/summaries',
    input: { account: anyAccount, ...page },
    output: rowsOf(requestSummary),
    cli: 'none',
    run({ state, requestLog }, { account, ...input }): Rows<RequestSummary> {
      const id = findAccountId(state, account);
      const isAsked = (record: LoggedRequest): boolean => id === undefined || record.account === id;
      return paginate(requestLog.list().filter(isAsked), input, toRequestSummary);
    },
  }),
  /** Returns a logged request with its response and effects. */
  request: defineView({
    id: 'getRequest',
    method: 'GET',
    path: '/requests/{request}',
    input: { request: reference<string>('request', 'req_000001') },
    output: requestView,
    cli: { command: 'requests show' },
    checkOwner: ({ requestLog }, { request }, account) =>
      void findRequest(requestLog, String(request), account),
    run: ({ requestLog }, { request }): RequestView =>
      toRequestView(findRequest(requestLog, request), createFindEffects()),
  }),
  /** Returns the signing secret of the endpoint of an account and mode, to set the same endpoint again later. */
  secret: defineView({
    id: 'getSecret',
    method: 'GET',
    path: '/webhooks/endpoint/secret',
    input: accountMode,
    output: issuedSecret,
    cli: 'none',
    run({ state }, input): IssuedSecret {
      const { endpoint } = findAccountState(state, input);
      if (endpoint !== null) return { secret: endpoint.secret };
      throw new SandboxError('not_found', 'There is no endpoint, so there is no secret.');
    },
  }),
  /** Returns the deliveries of an account and mode without bodies and attempts, newest first. */
  deliverySummaries: defineView({
    id: 'listDeliverySummaries',
    method: 'GET',
    path: '/webhooks/summaries',
    input: { ...accountMode, ...page },
    output: rowsOf(deliverySummary),
    cli: 'none',
    run({ state }, input): Rows<DeliverySummary> {
      const accountState = findAccountState(state, input);
      const deliveries = [...accountState.deliveries.values()];
      return paginate(deliveries, input, (delivery: Delivery) => toDeliverySummary(delivery, accountState));
    },
  }),
  /** Returns a delivery with its attempts, and the signature of its body with the current secret. */
  delivery: defineView({
    id: 'getDelivery',
    method: 'GET',
    path: '/webhooks/deliveries/{delivery}',
    input: { delivery: reference<string>('delivery', 'dlv_test_…') },
    output: deliveryDetail,
    checkOwner: ({ state }, { delivery }, account) => void findDelivery(state, String(delivery), account),
    cli: { command: 'deliveries show' },
    async run({ state }, input): Promise<DeliveryDetail> {
      const { accountState, delivery } = findDelivery(state, input.delivery);
      const { endpoint } = accountState;
      const signature = endpoint === null ? null : await sign(delivery.body, endpoint.secret);
      return { ...copyDelivery(delivery), signature };
    },
  }),
  /**
   * Returns the changes of the sandbox after the `cursor` of an earlier response, oldest first, and the clock and counts.
   * With `isReset`, as without a cursor, the changes are not known: read the lists again.
   */
  changes: defineView({
    id: 'listChanges',
    method: 'GET',
    path: '/changes',
    input: {
      since: optional(text('the cursor of a response', { examples: ['…-17'] })),
      limit: page.limit,
    },
    output: changes,
    cli: 'none',
    run(parts, { since, limit = 100 }): Changes {
      parts.readChanges ??= observeChanges(parts, drawSeed());
      return parts.readChanges(since, limit);
    },
  }),
};

/** @throws {SandboxError} when the request is not in the log, or is not one of the account */
function findRequest(requestLog: RequestLog, id: string, account?: string): LoggedRequest {
  const record = requestLog.list().findLast((each) => each.id === id);
  if (record !== undefined && (account === undefined || record.account === account)) return record;
  throw new SandboxError('not_found', `There is no logged request ${formatId(id)}.`);
}

function listWallets(accountState: AccountState): WalletView[] {
  const wallets = accountState.ledger.get('wallet') ?? new Map<Currency, bigint>();
  return [...wallets].map(([currency, balance]) => ({
    currency,
    balance: toAmount(balance).toString(),
    available: toAmount(availableOf(accountState, currency)).toString(),
    reserved: toAmount(accountState.reserved.get(currency) ?? 0n).toString(),
  }));
}

/** Converts the asked part of a list, newest first. */
function paginate<Item, Row>(
  items: readonly Item[],
  { limit = 100, offset = 0 }: { readonly limit?: number | undefined; readonly offset?: number | undefined },
  toRow: (item: Item) => Row,
): Rows<Row> {
  const end = Math.max(0, items.length - offset);
  const shown = items.slice(Math.max(0, end - limit), end).toReversed();
  return { rows: shown.map((item) => toRow(item)), total: items.length };
}
