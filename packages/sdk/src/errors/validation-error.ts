import { redactText } from './redact.ts';
import { ValidationError } from './response-errors.ts';
import { ConfigurationError } from './local-errors.ts';

/** Creates the error of an invalid request that was not sent. */
export function createValidationError(message: string): ValidationError {
  return new ValidationError(redactText(message), { outcome: 'not_sent' });
}

/** Creates the error of invalid options. */
export function createUsageError(message: string): ConfigurationError {
  return new ConfigurationError(redactText(message));
}
