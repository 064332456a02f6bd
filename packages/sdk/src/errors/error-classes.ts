import type { Payment } from '../values/models.ts';
import { redactText } from './redact.ts';
import { type ErrorFacts, hide, ServiceError } from './service-error.ts';

/** A missing, malformed, unknown or revoked API key: 401 `authentication_error`. */
export class AuthenticationError extends ServiceError {
  override get name(): 'AuthenticationError' {
    return 'AuthenticationError';
  }
}

/**
 * An API key without permission for the operation, for example of a suspended account: 403
 * `permission_error`.
 */
export class PermissionError extends ServiceError {
  override get name(): 'PermissionError' {
    return 'PermissionError';
  }
}

/** A payment or path that does not exist for the account and mode of the API key: 404 `not_found`. */
export class NotFoundError extends ServiceError {
  override get name(): 'NotFoundError' {
    return 'NotFoundError';
  }
}

/**
 * An invalid request. `outcome` is `'not_sent'` if the client found the problem, and `'rejected'` if the
 * service did (400, 405, 413, 415 or 422). `fields` are the invalid fields that the service reported.
 */
export class ValidationError extends ServiceError {
  override get name(): 'ValidationError' {
    return 'ValidationError';
  }
}

/** A wallet balance that is too low for the payment: 422 `insufficient_funds`. */
export class InsufficientFundsError extends ServiceError {
  override get name(): 'InsufficientFundsError' {
    return 'InsufficientFundsError';
  }
}

/** The earlier create of a reference. Unknown fields are undefined. */
export interface EarlierCreate {
  /** The reference that the payer rejected. */
  readonly reference?: string | undefined;
  /** The time at which the earlier create was first sent, as ISO 8601 in UTC. */
  readonly sentAt?: string | undefined;
  /** The payment that the reference made (`pay_…`). Retrieve it instead of creating another one. */
  readonly paymentId?: string | undefined;
}

/**
 * A reference or idempotency key that was used before. **A payment may exist** under it.
 *
 * `outcome` is `'not_sent'` if the payer rejected the `reference`, `'rejected'` if the service
 * knows your `idempotencyKey` with another request body, and `'unknown'` if the earlier request may be this
 * one. `code` is `'idempotency_conflict'` if the service knows your key.
 */
export class IdempotencyError extends ServiceError implements EarlierCreate {
  /** The reference that the payer rejected. */
  declare readonly reference: string | undefined;
  /** The time at which the earlier create of the reference was first sent, as ISO 8601 in UTC. */
  declare readonly sentAt: string | undefined;
  /** The id of the earlier payment; undefined if unknown. */
  declare readonly paymentId: string | undefined;

  constructor(message: string, facts: ErrorFacts & EarlierCreate = {}) {
    super(message, facts);
  }

  override get name(): 'IdempotencyError' {
    return 'IdempotencyError';
  }
}

/**
 * Too many requests: 429 `rate_limit_error`. `retryAfter` is the wait in seconds that the service requests.
 */
export class RateLimitError extends ServiceError {
  override get name(): 'RateLimitError' {
    return 'RateLimitError';
  }
}

/** A failure of the service: `server_error`, `service_unavailable`, or a 5xx without a known type. */
export class ServerError extends ServiceError {
  override get name(): 'ServerError' {
    return 'ServerError';
  }
}

/**
 * A response that does not match the documented ones: a redirect, an HTML page, a 2xx without `data`, a
 * different payment than the requested one, an unreadable page of transactions, or a body of more than 8 MiB.
 */
export class UnreadableResponseError extends ServiceError {
  override get name(): 'UnreadableResponseError' {
    return 'UnreadableResponseError';
  }
}

/** A response whose mode differs from that of the API key, for example a live response to a test key. */
export class ModeMismatchError extends ServiceError {
  override get name(): 'ModeMismatchError' {
    return 'ModeMismatchError';
  }
}

/**
 * An invalid option, an API key that must not be used in this environment, or a function of the caller that
 * threw: `apiKey`, a hook or an intent store. `cause` is the error of that function.
 *
 * Usually nothing was sent (`outcome` is `'not_sent'`). If the `onResponse` hook threw, `outcome` is
 * `'unknown'`.
 */
export class ConfigurationError extends ServiceError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { outcome: 'not_sent', ...facts });
  }

  override get name(): 'ConfigurationError' {
    return 'ConfigurationError';
  }
}

/**
 * A request without a complete response: a DNS or TLS failure, a refused or reset connection, a truncated
 * body. `cause` is the error of `fetch`.
 *
 * `outcome` is `'not_sent'` if the connection was never made, otherwise `'unknown'`.
 */
export class ConnectionError extends ServiceError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError';
  }
}

/**
 * A request whose complete response did not arrive within `timeout` or `totalTimeout`.
 *
 * `outcome` is `'not_sent'` if the time passed before the request was sent, otherwise `'unknown'`.
 */
export class TimeoutError extends ServiceError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/**
 * A call that its `signal` aborted. `cause` is the unchanged reason of the signal.
 *
 * `outcome` is `'unknown'` if a request was being sent: the service may have carried it out. Between two attempts
 * it is the outcome of the last attempt.
 */
export class AbortError extends ServiceError {
  override get name(): 'AbortError' {
    return 'AbortError';
  }
}

/**
 * A payment that did not reach the requested status before the timeout of `waitFor`. It may still reach it.
 *
 * @example
 * if (isWaitTimeoutError(error)) console.log(error.last?.status);
 */
export class WaitTimeoutError extends ServiceError {
  /**
   * The payment as last retrieved; undefined if no response arrived. Not enumerable, because it contains the
   * name and account of the beneficiary.
   */
  declare readonly last: Payment | undefined;

  constructor(
    message: string,
    {
      last,
      ...facts
    }: ErrorFacts & {
      /** The payment as last retrieved. */
      readonly last?: Payment | undefined;
    } = {},
  ) {
    super(message, facts);
    hide(this, 'last', last);
  }

  override get name(): 'WaitTimeoutError' {
    return 'WaitTimeoutError';
  }
}

/** Creates the error of an invalid request that was not sent. */
export function createValidationError(message: string): ValidationError {
  return new ValidationError(redactText(message), { outcome: 'not_sent' });
}

/** Creates the error of invalid options. */
export function createUsageError(message: string, fields?: ErrorFacts['fields']): ConfigurationError {
  return new ConfigurationError(redactText(message), { fields });
}

/** Creates the error of a call, or of a wait, that its signal aborted. */
export function createAbortError(
  signal: AbortSignal | undefined,
  facts: ErrorFacts,
  subject = 'The call',
): AbortError {
  return new AbortError(`${subject} was aborted by its signal.`, { ...facts, cause: signal?.reason });
}
