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
  type EarlierCreate,
  IdempotencyError,
  InsufficientFundsError,
  ModeMismatchError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnreadableResponseError,
  ValidationError,
  WaitTimeoutError,
} from './errors/error-classes.ts';
export {
  type ErrorGuard,
  isAbortError,
  isAuthenticationError,
  isConfigurationError,
  isConnectionError,
  isIdempotencyError,
  isInsufficientFundsError,
  isModeMismatchError,
  isNotFoundError,
  isPaymentOutcomeUnknownError,
  isPermissionError,
  isRateLimitError,
  isServerError,
  isTimeoutError,
  isUnreadableResponseError,
  isValidationError,
  isWaitTimeoutError,
} from './errors/guards.ts';
export {
  PaymentOutcomeUnknownError,
  type PaymentTrace,
  type SentBeneficiary,
  type UnknownPhase,
} from './errors/payment-outcome-unknown.ts';
export {
  type ErrorFacts,
  type FieldError,
  isServiceError,
  type Outcome,
  ServiceError,
} from './errors/service-error.ts';
export type { HeaderFields } from './options/headers.ts';
export type { ApiKeySource, LiveKey, ModeOf, TestKey } from './options/key.ts';
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
  TransactionStatus,
  TransactionType,
  Wallet,
} from './values/models.ts';
export { rawAmount, type MoneyField } from './values/money.ts';
export type { AuthScheme, ClientOptions, Fetch, FetchInit, FetchResponse } from './options/options.ts';
export type { Balances } from './resources/balance.ts';
export type { Payments } from './resources/payments.ts';
export type { Quotes } from './resources/quotes.ts';
export {
  readTransactionPage,
  type TransactionList,
  type TransactionQuery,
} from './transactions/transactions.ts';
export type { Call } from './transport/call.ts';
export type { CallResult } from './transport/response.ts';
export type { CallOptions } from './transport/request.ts';
export type {
  Hooks,
  Operation,
  RequestFacts,
  RequestHook,
  ResponseHook,
  RetryHook,
} from './options/hooks.ts';
export type { Logger, LogLevel } from './options/log.ts';
export type { PaymentUpdate } from './resources/wait.ts';
export type { Reconciliation } from './reconcile/reconcile.ts';
export type { PaymentIntent, ReconcileOptions } from './reconcile/input.ts';
export type {
  ResponseSchemas,
  SchemaIssue,
  SchemaResult,
  StandardSchema,
} from './options/response-schema.ts';
export type { Warning, WarningCode } from './options/log.ts';
export type { WaitGoal, WaitOptions } from './resources/wait.ts';
