import { isRecord } from '@service/internal';
import { defaultProfile } from '../../domain/profile.ts';
import { readBody } from '../../http/body.ts';
import { HttpError } from '../../http/errors.ts';
import type { MockRequest } from '../../http/request.ts';
import type * as s from '../../domain/schema.ts';
import { type Operation, parseInput } from '../operation.ts';
import { ControlError } from './control-error.ts';

/** Returns whether the fields of an operation are in the query instead of a body. */
export function takesQuery({ method }: Operation): boolean {
  return method === 'GET' || method === 'DELETE';
}

/**
 * Reads and validates the fields of an operation from path, query and body.
 *
 * @throws {ControlError} when the request cannot be read
 * @throws {SandboxError} that names the invalid fields
 */
export async function readInput(
  operation: Operation,
  request: MockRequest,
  parameters: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const given = takesQuery(operation)
    ? readQuery(operation, request)
    : await readBodyFields(operation, request);
  const doubled = Object.keys(parameters).find((name) => Object.hasOwn(given, name));
  if (doubled !== undefined) throw invalid(`${doubled} is in the path and must not be given twice.`);
  return parseInput(operation.id, { ...given, ...parameters }, operation.input);
}

function readQuery({ id, input: { fields } }: Operation, request: MockRequest): Record<string, unknown> {
  if (hasBody(request)) throw invalid(`${id} takes its fields in the query, not in a body.`);
  const entries = [...new URLSearchParams(request.search)];
  const names = new Set(entries.map(([name]) => name));
  if (names.size < entries.length) throw invalid(`${id} takes each field of the query once.`);
  return Object.fromEntries(entries.map(([name, value]) => [name, readValue(fields, name, value)]));
}

/** Parses a query parameter: as a number if the schema expects one and the text is one, else as text. */
function readValue(fields: s.Fields, name: string, value: string): string | number {
  const type = Object.hasOwn(fields, name) ? fields[name]?.json['type'] : undefined;
  const isNumber = (type === 'number' || type === 'integer') && /^-?\d+(?:\.\d+)?$/.test(value);
  return isNumber ? Number(value) : value;
}

async function readBodyFields({ id, maxBody }: Operation, request: MockRequest): Promise<object> {
  if (request.search !== '') throw invalid(`${id} takes its fields in a body, not in the query.`);
  // A body, and without one a given media type, must not be one that a foreign page sends without a preflight request.
  if (!hasBody(request) && request.header('content-type') === null) return {};
  const { value, error } = await readBody(request, { profile: defaultProfile }, maxBody, {});
  if (error instanceof HttpError) {
    const { type } = error.error;
    const isKnown = type === 'unsupported_media_type' || type === 'payload_too_large';
    throw new ControlError(isKnown ? type : 'invalid_argument', error.message);
  }
  if (error !== undefined) throw error;
  if (isRecord(value) && !Array.isArray(value)) return value;
  throw invalid('The request body must be a JSON object.');
}

function hasBody({ header }: MockRequest): boolean {
  return header('transfer-encoding') !== null || Number(header('content-length') ?? '0') > 0;
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_argument', message);
}
