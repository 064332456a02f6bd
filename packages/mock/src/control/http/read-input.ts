import type * as z from 'zod/mini';
import { hasBody, readBody } from './body.ts';
import type { ControlOperation } from './operation.ts';
import { ControlError } from './control-error.ts';

const MAX_BODY = 64 * 2 ** 10;

/** A request to an operation and its path parameters. */
export interface ControlRequest {
  readonly request: Request;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Reads and validates the fields of an operation from path, query and body.
 *
 * @throws {ControlError} that names the invalid fields
 */
export async function readInput(operation: ControlOperation, context: ControlRequest): Promise<object> {
  const { request, parameters } = context;
  const given = takesQuery(operation) ? readQuery(operation, request) : await readFields(operation, request);
  const doubled = Object.keys(parameters).find((name) => Object.hasOwn(given, name));
  if (doubled !== undefined) throw invalid(`${doubled} is in the path and must not be given twice.`);
  const input = { ...given, ...parameters };
  const { error } = operation.input.safeParse(input);
  if (error === undefined) return input;
  const problems = error.issues.map((issue) => explainIssue(issue, input));
  throw invalid(`${operation.id}: ${problems.join('; ')}.`);
}

/** Returns whether the fields of an operation are in the query instead of a body. */
export function takesQuery({ method }: ControlOperation): boolean {
  return method === 'GET' || method === 'DELETE';
}

function readQuery({ id, input }: ControlOperation, request: Request): Record<string, unknown> {
  if (hasBody(request)) throw invalid(`${id} takes its fields in the query, not in a body.`);
  const entries = [...new URL(request.url).searchParams];
  const names = new Set(entries.map(([name]) => name));
  if (names.size < entries.length) throw invalid(`${id} takes each field of the query once.`);
  return Object.fromEntries(entries.map(([name, value]) => [name, readValue(input, name, value)]));
}

/** Parses a query parameter: as a number if the schema expects one and the text is one, else as text. */
function readValue({ shape }: z.ZodMiniObject, name: string, value: string): string | number {
  const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return field !== undefined && isNumber(field) && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

function isNumber({ _zod: { def } }: z.core.$ZodType): boolean {
  if (def.type === 'number') return true;
  return 'innerType' in def && isNumber(def.innerType as z.core.$ZodType);
}

function readFields({ id, maxBody = MAX_BODY }: ControlOperation, request: Request): Promise<object> {
  if (new URL(request.url).search !== '')
    throw invalid(`${id} takes its fields in a body, not in the query.`);
  return readBody(request, maxBody);
}

function explainIssue({ path, message }: z.core.$ZodIssue, input: object): string {
  if (path.length === 0) return message;
  const [name] = path;
  const isMissing = path.length === 1 && !Object.hasOwn(input, name ?? '');
  return `${path.map(String).join('.')} ${isMissing ? 'is missing: it ' : ''}${message}`;
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_argument', message);
}
