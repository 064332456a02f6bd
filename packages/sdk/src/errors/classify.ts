import type { ErrorType } from '@service/contract';
import { copyOwn, isRecord } from '@service/internal';
import {
  AuthenticationError,
  IdempotencyError,
  InsufficientFundsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './error-classes.ts';
import { cleanText } from './redact.ts';
import { type ErrorFacts, type FieldError, ServiceError } from './service-error.ts';

/** The error fields of a response that reports a failure. */
export type ResponseFacts = ErrorFacts & { readonly status: number };

type ResponseErrorClass = new (message: string, facts: ResponseFacts) => ServiceError;

const byType = {
  authentication_error: AuthenticationError,
  idempotency_error: IdempotencyError,
  insufficient_funds: InsufficientFundsError,
  invalid_request_error: ValidationError,
  method_not_allowed: ValidationError,
  not_found: NotFoundError,
  payload_too_large: ValidationError,
  permission_error: PermissionError,
  rate_limit_error: RateLimitError,
  server_error: ServerError,
  service_unavailable: ServerError,
  unsupported_media_type: ValidationError,
  validation_error: ValidationError,
} as const satisfies Record<ErrorType, ResponseErrorClass>;

const byStatus: Readonly<Record<number, ResponseErrorClass>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  405: ValidationError,
  413: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
};

/**
 * Creates the error that a response reports: by its `error.type`, otherwise by its HTTP status
 * (docs/contract.md#errors).
 */
export function createResponseError(
  facts: ResponseFacts,
  { hint = '', mask }: { readonly hint?: string; readonly mask: (text: string) => string },
): ServiceError {
  const { type, message } = readDetail(facts.raw);
  const fields = readFieldErrors(facts.raw, mask);
  const Class = facts.code === undefined ? findClass(type, facts.status) : IdempotencyError;
  const text = message === undefined ? `The service responded with status ${facts.status}.` : mask(message);
  const isUsedKey = Class === IdempotencyError && (facts.code !== undefined || facts.outcome === 'rejected');
  const advice = isUsedKey ? ' A payment may exist under that idempotency key.' : hint;
  return new Class(addSentence(cleanText(text, 500), advice), {
    ...facts,
    ...(fields && { fields }),
    type,
  });
}

/** Adds a sentence to a message of the service, which may end without a full stop. */
function addSentence(message: string, sentence: string): string {
  return sentence === '' || /[.!?…]$/.test(message) ? message + sentence : `${message}.${sentence}`;
}

/** Returns true if the contract has this `error.type`. */
export function isDocumentedType(type: string | undefined): type is ErrorType {
  return type !== undefined && Object.hasOwn(byType, type);
}

/** Returns true if an `error.type` reports a failure of the service itself. */
export function isServiceFailure(type: string | undefined): boolean {
  return isDocumentedType(type) && byType[type] === ServerError;
}

/** Returns true if the contract has this status for an error that rejects a request. */
export function isRejectionStatus(status: number): boolean {
  return Object.hasOwn(byStatus, status);
}

function findClass(type: string | undefined, status: number): ResponseErrorClass {
  if (isDocumentedType(type)) return byType[type];
  return byStatus[status] ?? (status >= 500 ? ServerError : ServiceError);
}

/** Returns the type and message of an error body, with or without the envelope. */
export function readDetail(raw: unknown): {
  readonly type?: string | undefined;
  readonly message?: string | undefined;
} {
  if (!isRecord(raw)) return {};
  const { type, message } = isRecord(raw.error) ? raw.error : raw;
  return { type: toText(type), message: toText(message) };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const MAX_FIELDS = 20;
const MAX_DEPTH = 4;

/** The names of lists of field errors, without case and separators. */
const listNames =
  /^((field|validation)?errors|fields|(field|constraint|validation)?violations|invalid(fields|param(eter)?s)|issues|problems|details?)$/;
/** The names of the field and of the message in an item of such a list. */
const fieldNames = /^(field|loc$|path$|pointer$|propert|param|attribute|instancePath)/;
const messageNames = /^(message|msg|detail|defaultMessage|description|reason)$/;

/**
 * Reads the field errors of a response from the lists in the envelope or in its `error`. Accepts objects from
 * field names to messages (Laravel, Django), and lists of objects with a field and a message (FastAPI,
 * Symfony, Spring, RFC 9457 section 3). Ignores all other properties of such an object, because they can echo
 * the sent value.
 *
 * @param mask Masks beneficiary names and account numbers in a text.
 */
function readFieldErrors(raw: unknown, mask: (text: string) => string): readonly FieldError[] | undefined {
  if (!isRecord(raw)) return undefined;
  const lists = [...findLists(raw.error), ...findLists(raw)];
  // Last, because `detail` can also explain the whole error.
  const sorted = [...lists.filter((one) => !isDetail(one)), ...lists.filter(isDetail)];
  for (const [, list] of sorted) {
    const found = readEntries(list, '').slice(0, MAX_FIELDS);
    if (found.length === 0) continue;
    return found.map(({ field, message }) => ({
      field: cleanText(mask(field), 100),
      message: cleanText(mask(message), 300),
    }));
  }
  return undefined;
}

type NamedList = [name: string, list: unknown];

function isDetail([name]: NamedList): boolean {
  return name.startsWith('detail');
}

/** Returns the properties of an object that can be lists of field errors. `details` as an object has facts. */
function findLists(value: unknown): NamedList[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).filter(([name, list]) => {
    const plain = name.replaceAll(/[-_]/g, '').toLowerCase();
    return listNames.test(plain) && (Array.isArray(list) || (isRecord(list) && plain !== 'details'));
  });
}

function readEntries(value: unknown, path: string, depth = 0): FieldError[] {
  if (typeof value === 'string') return [{ field: path, message: value }];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, MAX_FIELDS);
    return items.flatMap((item) =>
      typeof item === 'string' ? [{ field: path, message: item }] : readItem(item, path, depth),
    );
  }
  if (!isRecord(value)) return [];
  const item = path === '' ? [] : readItem(value, path, depth);
  if (item.length > 0) return item;
  return Object.entries(value)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, inner]) => readEntries(inner, path === '' ? name : `${path}.${name}`, depth + 1));
}

/** Reads an object with a message and an optional field, or with a list of such objects. */
function readItem(item: unknown, path: string, depth: number): FieldError[] {
  if (!isRecord(item)) return [];
  // JSON:API has the pointer in `source`.
  const { source, ...own } = copyOwn(item);
  const all = Object.entries({ ...own, ...(isRecord(source) && source) });
  const message = all.find(([name, text]) => messageNames.test(name) && typeof text === 'string')?.[1];
  const field = all.find(([name, place]) => fieldNames.test(name) && readPath(place) !== undefined)?.[1];
  const fieldPath = readPath(field ?? own.name) ?? path;
  if (typeof message === 'string') return [{ field: fieldPath, message }];
  return findLists(own).flatMap(([, list]) => readEntries(list, fieldPath, depth + 1));
}

/** Converts a name, a JSON pointer (RFC 6901) or a list of names and indexes to the path of a field. */
function readPath(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return /^#?\//.test(value) ? value.replace(/^#?\//, '').replaceAll('/', '.') : value;
  }
  if (!Array.isArray(value)) return undefined;
  const parts = value.filter((part) => typeof part === 'string' || typeof part === 'number');
  // FastAPI puts the location first: `['body', 'amount']`.
  return parts.slice(parts.length > 1 && parts[0] === 'body' ? 1 : 0).join('.');
}
