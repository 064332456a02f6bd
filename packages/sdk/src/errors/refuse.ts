import { ValidationError } from './answer-errors.ts';
import { ConfigurationError } from './local-errors.ts';

/** Makes the error of a call that is refused before anything is sent. */
export function refuse(message: string): ValidationError {
  return new ValidationError(message, { outcome: 'not_sent' });
}

/** Makes the error of options that are wrong. */
export function misuse(message: string): ConfigurationError {
  return new ConfigurationError(message);
}
