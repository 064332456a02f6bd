import { ValidationError } from './answer-errors.ts';

/** Makes the error of a call that is refused before anything is sent. */
export function refuse(message: string): ValidationError {
  return new ValidationError(message, { outcome: 'not_sent' });
}
