import { copyOwn, isRecord } from '@service/internal';
import { cleanText } from './clean-text.ts';

/** The error that the service reported for one field of a request. */
export interface FieldError {
  /**
   * The path of the field, such as `to_currency` or `beneficiary.account`; empty if the service names no
   * field.
   */
  readonly field: string;
  /** The message of the service. Names and account numbers of the beneficiary are masked. */
  readonly message: string;
}

const MAX_FIELDS = 20;
const MAX_DEPTH = 4;

/**
 * Reads the field errors of a response: `fields`, `errors` or `detail`, in the envelope or in its `error`.
 * Accepts objects from field names to messages (Laravel, Django), and lists of objects with a field and a
 * message (FastAPI, RFC 9457 section 3). Ignores all other properties of such an object, because they can
 * echo the sent value.
 *
 * @param mask Masks beneficiary names and account numbers in a text.
 */
export function readFieldErrors(
  raw: unknown,
  mask: (text: string) => string,
): readonly FieldError[] | undefined {
  if (!isRecord(raw)) return undefined;
  const error = isRecord(raw.error) ? raw.error : {};
  for (const value of [error.fields, error.errors, raw.fields, raw.errors, error.detail, raw.detail]) {
    const found = typeof value === 'string' ? [] : readEntries(value, '').slice(0, MAX_FIELDS);
    if (found.length === 0) continue;
    return found.map(({ field, message }) => ({
      field: cleanText(mask(field), 100),
      message: cleanText(mask(message), 300),
    }));
  }
  return undefined;
}

function readEntries(value: unknown, path: string, depth = 0): FieldError[] {
  if (typeof value === 'string') return [{ field: path, message: value }];
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    const items: unknown[] = value.slice(0, MAX_FIELDS);
    return items.flatMap((item) =>
      typeof item === 'string' ? [{ field: path, message: item }] : readItem(item, path),
    );
  }
  if (!isRecord(value)) return [];
  if (path !== '' && readItem(value, path).length > 0) return readItem(value, path);
  return Object.entries(value)
    .slice(0, MAX_FIELDS)
    .flatMap(([name, inner]) => readEntries(inner, path === '' ? name : `${path}.${name}`, depth + 1));
}

/** Reads an object with a message and an optional field. */
function readItem(item: unknown, path: string): FieldError[] {
  if (!isRecord(item)) return [];
  const { field, loc, path: ownPath, pointer, message, msg, detail } = copyOwn(item);
  const text = [message, msg, detail].find((one) => typeof one === 'string');
  return text === undefined
    ? []
    : [{ field: readPath(field ?? loc ?? ownPath ?? pointer) ?? path, message: text }];
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
