import { parseJson } from '@service/internal';
import { isDeeperThan, MAX_DEPTH } from '../../domain/json.ts';
import { decodeStrictly, findMediaProblem } from '../../http/body.ts';
import type { MockRequest } from '../../http/request.ts';
import * as s from '../../domain/schema.ts';
import { type Operation, parseInput } from '../operation.ts';
import { httpTimeout } from '../wait.ts';
import { ControlError } from './control-error.ts';

const MAX_BODY = 64 * 2 ** 10;

/** Returns the fields that an operation has over HTTP. */
export function listFields({ input, local = [], isWait }: Operation): s.Fields {
  const fields = Object.entries(input.fields).filter(([name]) => !local.includes(name));
  return { ...Object.fromEntries(fields), ...(isWait && { timeout: httpTimeout }) };
}

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
  const fields = listFields(operation);
  const given = takesQuery(operation)
    ? readQuery(operation, fields, request)
    : await readBodyFields(operation, request);
  const doubled = Object.keys(parameters).find((name) => Object.hasOwn(given, name));
  if (doubled !== undefined) throw invalid(`${doubled} is in the path and must not be given twice.`);
  return parseInput(operation.id, { ...given, ...parameters }, s.strict(fields));
}

function readQuery({ id }: Operation, fields: s.Fields, request: MockRequest): Record<string, unknown> {
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

async function readBodyFields({ id, maxBody = MAX_BODY }: Operation, request: MockRequest): Promise<object> {
  if (request.search !== '') throw invalid(`${id} takes its fields in a body, not in the query.`);
  checkMediaType(request);
  const bytes = hasBody(request) ? await readBytes(request, maxBody) : new Uint8Array();
  return bytes.byteLength === 0 ? {} : parseBody(bytes);
}

function hasBody(request: MockRequest): boolean {
  return request.header('transfer-encoding') !== null || contentLength(request) > 0;
}

function contentLength({ header }: MockRequest): number {
  return Number(header('content-length') ?? '0');
}

/** Rejects the media types that a foreign page can send without a preflight request, also without a body. */
function checkMediaType(request: MockRequest): void {
  const type = request.header('content-type') ?? (hasBody(request) ? null : 'application/json');
  const problem = findMediaProblem(type, request.header('content-encoding'));
  if (problem !== undefined) throw new ControlError('unsupported_media_type', problem);
}

async function readBytes(request: MockRequest, limit: number): Promise<Uint8Array> {
  const read = contentLength(request) > limit ? undefined : request.readBody(limit);
  const bytes = await read?.catch(() => {
    throw invalid('The request body is incomplete.');
  });
  if (bytes !== undefined) return bytes;
  throw new ControlError('payload_too_large', `The request body is larger than ${limit} bytes.`);
}

function parseBody(bytes: Uint8Array): object {
  const text = decodeStrictly(bytes);
  if (text === undefined) throw invalid('The request body is not valid UTF-8.');
  const value = parseJson(text);
  if (value === undefined) throw invalid('The request body is not valid JSON.');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The request body must be a JSON object.');
  if (isDeeperThan(value, MAX_DEPTH))
    throw invalid(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  return value;
}

function invalid(message: string): ControlError {
  return new ControlError('invalid_argument', message);
}
