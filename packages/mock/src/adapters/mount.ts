// Imported by package name, so that the types and errors of all entries are identical.
import { SandboxError } from '@service/mock';
import { parseInput } from '../control/operation.ts';
import type * as s from '../domain/schema.ts';

/** Creates an error of the class of the package, not of the copy in the file of this entry. */
export function createError(message: string): SandboxError {
  return new SandboxError('invalid_argument', message);
}

/** @throws {SandboxError} for an invalid argument of `mountSandbox` */
export function readMount<All extends s.Fields>(
  open: unknown,
  options: object,
  fields: s.ObjectSchema<All>,
): s.Output<All> {
  if (typeof open !== 'function') throw createError('mountSandbox needs a function that returns a mock.');
  return parseInput('mountSandbox', options, fields, createError);
}
