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
export type { LiveKey, TestKey } from './key.ts';
export type {
  AmountInput,
  Balance,
  Beneficiary,
  Mode,
  Payment,
  PaymentInput,
  PaymentStatus,
  Quote,
  QuoteInput,
  Transaction,
  TransactionPage,
  Wallet,
} from './models.ts';
export { rawAmount } from './money.ts';
export type {
  CallOptions,
  ClientOptions,
  Fetch,
  FetchInit,
  FetchResponse,
  RequestHook,
  ResponseHook,
  RetryHook,
  Warning,
} from './options.ts';
export type { UnreadablePage } from './resources/row-array.ts';
export type { TransactionReader } from './resources/transaction-format.ts';
export {
  readTransactionPage,
  type TransactionList,
  type TransactionPageReading,
  type TransactionQuery,
} from './resources/transactions.ts';
export type { PaymentIntent, ReconcileOptions } from './resources/reconcile-input.ts';
export type { Reconciliation } from './resources/reconcile.ts';
export type { Call } from './transport/call.ts';
export type { CallResult } from './transport/response.ts';
export type { PaymentUpdate, WaitOptions } from './wait-for.ts';
