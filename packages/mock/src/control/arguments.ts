import { SandboxError } from '../state/sandbox-error.ts';

/**
 * Checks that an argument is an object with known fields only.
 *
 * @throws {SandboxError} that names the unknown fields
 */
export function checkArguments(call: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SandboxError('invalid_argument', `${call} takes an object with ${known.join(', ')}.`);
  }
  const unknownNames = Object.keys(value).filter((field) => !known.includes(field));
  if (unknownNames.length === 0) return;
  const message = `${call} has no field ${unknownNames.join(', ')}; it takes ${known.join(', ')}.`;
  throw new SandboxError('invalid_argument', message);
}
