import type { Payment } from '../values/models.ts';
import { type ErrorFacts, hide, ServiceError } from './service-error.ts';

/** Reports a client that is set up wrongly, or an API key that must not be used here; nothing was sent. */
export class ConfigurationError extends ServiceError {
  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { outcome: 'not_sent', ...facts });
  }

  override get name(): 'ConfigurationError' {
    return 'ConfigurationError';
  }
}

/** Reports a request that got no complete answer: DNS, refused, reset, TLS, a body cut short. `cause` says which. */
export class ConnectionError extends ServiceError {
  override get name(): 'ConnectionError' {
    return 'ConnectionError';
  }
}

/** Reports a request whose answer, body included, did not arrive within `timeout`, or that could not leave in that time. */
export class TimeoutError extends ServiceError {
  override get name(): 'TimeoutError' {
    return 'TimeoutError';
  }
}

/** Reports a call that its `signal` ended; `cause` is the reason of the signal, untouched. */
export class AbortError extends ServiceError {
  override get name(): 'AbortError' {
    return 'AbortError';
  }
}

/** Reports a payment that did not reach the status waited for before the deadline of `waitFor`; it may still do so later. */
export class WaitTimeoutError extends ServiceError {
  /** Holds the payment as last seen; undefined when no answer came at all. Left out when the error is printed. */
  declare readonly last: Payment | undefined;

  constructor(
    message: string,
    { last, ...facts }: ErrorFacts & { readonly last?: Payment | undefined } = {},
  ) {
    super(message, facts);
    // It names a person and an account.
    hide(this, 'last', last);
  }

  override get name(): 'WaitTimeoutError' {
    return 'WaitTimeoutError';
  }
}
