import { type ErrorFacts, ServiceError } from './service-error.ts';

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
  /** The reference that the duplicate guard rejected. */
  readonly reference?: string | undefined;
  /** The time at which the earlier create was first sent, as ISO 8601 in UTC. */
  readonly sentAt?: string | undefined;
  /** The id of the earlier payment. */
  readonly paymentId?: string | undefined;
}

/**
 * A reference or idempotency key that was used before. **A payment may exist** under it.
 *
 * `outcome` is `'not_sent'` if the duplicate guard rejected the `reference`, and `'rejected'` if the service
 * knows your `idempotencyKey` with another request body.
 */
export class IdempotencyError extends ServiceError implements EarlierCreate {
  /** The reference that the duplicate guard rejected. */
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
