/**
 * Schemas of the payments API for `zod/mini`, with the names of their types. They implement Standard Schema, so other
 * libraries can use them.
 *
 * @module
 */
export {
  Amount,
  Balance,
  BalanceEnvelope,
  Beneficiary,
  Currency,
  ErrorDetail,
  ErrorEnvelope,
  ErrorType,
  IdempotencyKey,
  Mode,
  Page,
  Pagination,
  Payment,
  PaymentEnvelope,
  PaymentId,
  PaymentRequest,
  PaymentStatus,
  PerPage,
  Quote,
  QuoteEnvelope,
  QuoteRequest,
  Signature,
  Text,
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
} from './generated/schemas.ts';
