import { BigDecimal } from './big-decimal.ts';
import { constraintViolations, malformedRequest, type Violation } from './exceptions.ts';
import { JsonNumber, parseExactly } from './object-mapper.ts';

type Value = string | BigDecimal;

/** Returns the message of the violation, or undefined. */
interface Constraint {
  readonly code: string;
  readonly check: (value: Value | undefined) => string | undefined;
}

/** A property of a request class. */
export interface Property {
  /** Name in the JSON. */
  readonly json: string;
  /** Name in the class. */
  readonly name: string;
  readonly type: 'String' | 'BigDecimal';
  readonly constraints: readonly Constraint[];
}

/** The values of a valid request by JSON name. */
export class BoundRequest {
  readonly #values: ReadonlyMap<string, Value>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  text(json: string): string {
    return this.optionalText(json) ?? '';
  }

  optionalText(json: string): string | undefined {
    const value = this.#values.get(json);
    return typeof value === 'string' ? value : undefined;
  }

  decimal(json: string): BigDecimal {
    const value = this.#values.get(json);
    if (value instanceof BigDecimal) return value;
    throw new TypeError(`${json} has no value.`);
  }
}

export const notNull: Constraint = {
  code: 'NotNull',
  check: (value) => (value === undefined ? 'must not be null' : undefined),
};

export const notBlank: Constraint = {
  code: 'NotBlank',
  check: (value) => (value === undefined ? 'must not be blank' : undefined),
};

export function size(max: number): Constraint {
  return {
    code: 'Size',
    check: (value) =>
      typeof value === 'string' && value.length > max ? `size must be between 0 and ${max}` : undefined,
  };
}

export function pattern(expression: RegExp): Constraint {
  return {
    code: 'Pattern',
    check: (value) =>
      typeof value === 'string' && !expression.test(value)
        ? `must match "${expression.source.slice(1, -1)}"`
        : undefined,
  };
}

export function decimalMin(text: string): Constraint {
  const minimum = BigDecimal.of(text);
  return {
    code: 'DecimalMin',
    check: (value) =>
      value instanceof BigDecimal && value.compareTo(minimum) < 0
        ? `must be greater than or equal to ${text}`
        : undefined,
  };
}

export function digits(integer: number, fraction: number): Constraint {
  return {
    code: 'Digits',
    check: (value) =>
      value instanceof BigDecimal && (value.integerDigits > integer || value.scale > fraction)
        ? `numeric value out of bounds (<${integer} digits>.<${fraction} digits> expected)`
        : undefined,
  };
}

/**
 * Reads a body into the properties and checks their constraints.
 * @throws {ApiException} when it is not valid
 */
export function bind(bytes: Buffer, properties: readonly Property[]): BoundRequest {
  const values = deserialize(bytes, properties);
  const violations = properties.flatMap(({ json, name, constraints }) =>
    constraints.flatMap(({ code, check }): Violation[] => {
      const message = check(values.get(json));
      return message === undefined ? [] : [{ field: name, code, message }];
    }),
  );
  if (violations.length === 0) return new BoundRequest(values);
  throw constraintViolations(
    violations.toSorted((a, b) => compare(a.field, b.field) || compare(a.code, b.code)),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Stops at the first value of a wrong type, and ignores unknown properties. */
function deserialize(bytes: Buffer, properties: readonly Property[]): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [key, value] of Object.entries(parseBody(bytes))) {
    const property = properties.find(({ json }) => json === key);
    if (property === undefined || value === null) continue;
    const converted = property.type === 'String' ? toText(value) : toDecimal(value);
    if (converted === undefined) {
      // The parser knows the JSON name only, constraints the name in the class.
      const message = `cannot be read as ${property.type}`;
      throw constraintViolations([{ field: key, code: 'TypeMismatch', message }]);
    }
    if (converted !== '') values.set(key, converted);
  }
  return values;
}

function parseBody(bytes: Buffer): object {
  if (bytes.length === 0) throw malformedRequest('Required request body is missing');
  let body: unknown;
  try {
    body = parseExactly(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw malformedRequest('JSON parse error');
  }
  if (body === null) throw malformedRequest('Required request body is missing');
  if (typeof body === 'object' && !Array.isArray(body) && !(body instanceof JsonNumber)) return body;
  throw malformedRequest('JSON parse error: an object is expected');
}

/** Takes scalars of other types as text, as the parser does by default. */
function toText(value: unknown): string | undefined {
  if (value instanceof JsonNumber) return value.source;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Takes numbers in strings. An empty string is no value. */
function toDecimal(value: unknown): Value | undefined {
  const text = value instanceof JsonNumber ? value.source : value;
  if (typeof text !== 'string') return undefined;
  if (text.trim() === '') return '';
  return BigDecimal.parse(text.trim())?.stripTrailingZeros();
}
