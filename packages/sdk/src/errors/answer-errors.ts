import { type ErrorFacts, ServiceError } from './service-error.ts';

/** Reports a missing, malformed, unknown or revoked API key: 401 `authentication_error` (spec §7). */
export class AuthenticationError extends ServiceError {
  override get name(): 'AuthenticationError' {
    return 'AuthenticationError';
  }
}

/** Reports a key that may not do this, for example of a suspended account: 403 `permission_error` (contract.md 6). */
export class PermissionError extends ServiceError {
  override get name(): 'PermissionError' {
    return 'PermissionError';
  }
}

/** Reports a payment or address that does not exist for this account and mode: 404 `not_found` (spec §7). */
export class NotFoundError extends ServiceError {
  override get name(): 'NotFoundError' {
    return 'NotFoundError';
  }
}

/** Reports a request that is wrong, found by the service (400, 405, 413, 415, 422) or before sending (`not_sent`). */
export class ValidationError extends ServiceError {
  override get name(): 'ValidationError' {
    return 'ValidationError';
  }
}

/** Reports a wallet that holds less than the payment needs: 422 `insufficient_funds` (spec §7). */
export class InsufficientFundsError extends ServiceError {
  override get name(): 'InsufficientFundsError' {
    return 'InsufficientFundsError';
  }
}

/** What is known of the earlier create of a reference. */
export interface EarlierCreate {
  readonly reference?: string | undefined;
  readonly sentAt?: string | undefined;
  readonly paymentId?: string | undefined;
}

/**
 * A reference of the duplicate guard that must not be sent again (`not_sent`), or a key of the caller that the service knows with
 * another body (`rejected`): a payment may exist under that reference or key.
 */
export class IdempotencyError extends ServiceError implements EarlierCreate {
  /** The reference that the duplicate guard refused. */
  declare readonly reference: string | undefined;
  /** When the earlier create of the reference was first sent, as ISO 8601 in UTC. */
  declare readonly sentAt: string | undefined;
  /** The id of the earlier payment, where it is known. */
  declare readonly paymentId: string | undefined;

  constructor(message: string, facts: ErrorFacts & EarlierCreate = {}) {
    super(message, facts);
  }

  override get name(): 'IdempotencyError' {
    return 'IdempotencyError';
  }
}

/** Reports too many requests: 429 `rate_limit_error` (contract.md 6). */
export class RateLimitError extends ServiceError {
  override get name(): 'RateLimitError' {
    return 'RateLimitError';
  }
}

/** Reports a failure inside the service: `server_error`, `service_unavailable`, or a 5xx of no known type (contract.md 6). */
export class ServerError extends ServiceError {
  override get name(): 'ServerError' {
    return 'ServerError';
  }
}

/** Reports an answer that is not what the service documents: a redirect, a page of HTML, a 2xx without `data` (spec §2), another
 * payment than was asked for, a list without end, more than 8 MiB. */
export class UnreadableResponseError extends ServiceError {
  override get name(): 'UnreadableResponseError' {
    return 'UnreadableResponseError';
  }
}

/** Reports an answer from the other mode than the key's: test asked and live answered, or the reverse (spec §5). */
export class ModeMismatchError extends ServiceError {
  override get name(): 'ModeMismatchError' {
    return 'ModeMismatchError';
  }
}
