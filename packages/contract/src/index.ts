/**
 * Types, value lists and operations of the payments API, generated from `openapi.yaml`.
 *
 * @module
 */
export type {
  Amount,
  Balance,
  BalanceEnvelope,
  Beneficiary,
  components,
  Currency,
  ErrorDetail,
  ErrorEnvelope,
  ErrorType,
  Mode,
  operations as OperationTypes,
  Pagination,
  Payment,
  PaymentEnvelope,
  PaymentId,
  PaymentRequest,
  PaymentStatus,
  paths,
  Quote,
  QuoteEnvelope,
  QuoteRequest,
  Timestamp,
  Transaction,
  TransactionPage,
  TransactionsEnvelope,
  TransactionStatus,
  TransactionType,
  Wallet,
  WebhookEvent,
  WebhookEventData,
  WebhookEventName,
  webhooks,
} from './generated/types.ts';
export {
  errorTypeValues as errorTypes,
  modeValues as modes,
  paymentStatusValues as paymentStatuses,
  transactionStatusValues as transactionStatuses,
  transactionTypeValues as transactionTypes,
  webhookEventNameValues as webhookEventNames,
} from './generated/types.ts';
export { type OperationId, operations } from './generated/operations.ts';
