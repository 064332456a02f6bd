import type { Payment } from '../values/models.ts';
import { type ErrorFacts, hide, ServiceError } from './service-error.ts';

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
    { last, ...facts }: ErrorFacts & { readonly last?: Payment | undefined } = {},
  ) {
    super(message, facts);
    hide(this, 'last', last);
  }

  override get name(): 'WaitTimeoutError' {
    return 'WaitTimeoutError';
  }
}
