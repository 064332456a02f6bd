/**
 * A client of the payments API. It never creates a payment twice, and reports when the outcome of a request
 * is unknown.
 *
 * @module
 */
export { type Client, createClient } from './client.ts';
export {
  AbortError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  type ErrorFacts,
  type FieldError,
  IdempotencyError,
  InsufficientFundsError,
  ModeMismatchError,
  NotFoundError,
  type Outcome,
  PaymentOutcomeUnknownError,
  type PaymentTrace,
  PermissionError,
  RateLimitError,
  ServerError,
  ServiceError,
  TimeoutError,
  UnreadableResponseError,
  ValidationError,
  WaitTimeoutError,
} from './errors.ts';
export type {
  Balance,
  Beneficiary,
  Mode,
  Payment,
  PaymentInput,
  PaymentStatus,
  Quote,
  QuoteInput,
  SentFields,
  Transaction,
  TransactionPage,
  Wallet,
} from './models.ts';
export { rawAmount } from './money.ts';
export type { CallOptions, ClientOptions, Fetch, RequestFacts, Warning } from './options.ts';
export type { Payments } from './payments.ts';
export type { ReconcileOptions, SentPayment } from './reconcile/input.ts';
export type { Reconciliation } from './reconcile/reconcile.ts';
export type { TransactionList, TransactionQuery } from './transactions/transactions.ts';
export type { Call } from './transport/call.ts';
export type { CallResult } from './transport/response.ts';
export type { WaitOptions } from './wait-for.ts';
