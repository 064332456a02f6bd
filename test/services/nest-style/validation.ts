import { invalid, type PropertyError } from './exceptions.ts';

/** A named check of one value with the message for values that fail it. */
export interface Constraint {
  readonly name: string;
  readonly message: string;
  readonly accepts: (value: unknown) => boolean;
}

export interface Property<T> {
  readonly constraints: readonly Constraint[];
  /** Replaces a value before it is checked. */
  readonly transform?: (value: unknown) => unknown;
  /** Value of a missing property; without it the property is required. */
  readonly fallback?: { readonly value: T };
}

export type Shape = Readonly<Record<string, Property<unknown>>>;
export type Dto<S extends Shape> = { readonly [K in keyof S]: S[K] extends Property<infer T> ? T : never };

/** Checks a body or a query. Properties that the shape does not know are left out. */
export function validate<S extends Shape>(shape: S, input: unknown): Dto<S> {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const source = new Map(isObject ? Object.entries(input) : []);
  const errors: PropertyError[] = [];
  const result: Record<string, unknown> = {};
  for (const [property, { constraints, transform, fallback }] of Object.entries(shape)) {
    const given: unknown = source.get(property);
    if (fallback && (given === undefined || given === null)) {
      result[property] = fallback.value;
      continue;
    }
    const value = transform ? transform(given) : given;
    const failed = constraints.filter(({ accepts }) => !accepts(value));
    if (failed.length > 0) {
      const messages = failed.map(({ name, message }) => [name, `${property} ${message}`]);
      errors.push({ property, constraints: Object.fromEntries(messages) as Record<string, string> });
    }
    result[property] = value;
  }
  if (errors.length > 0) throw invalid(errors);
  return result as Dto<S>;
}

const isoCurrencies = new Set(Intl.supportedValuesOf('currency'));

export function currencyCode(): Property<string> {
  return {
    transform: (value) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
    constraints: [
      {
        name: 'isISO4217CurrencyCode',
        message: 'must be a valid ISO4217 currency code',
        accepts: (value) => typeof value === 'string' && isoCurrencies.has(value),
      },
    ],
  };
}

function hasTwoDecimals(value: number): boolean {
  return Math.abs(Math.round(value * 100) / 100 - value) < 1e-9 * Math.max(1, value);
}

export function amount(minimum: number, maximum: number): Property<number> {
  return {
    constraints: [
      {
        name: 'max',
        message: `must not be greater than ${maximum}`,
        accepts: (value) => typeof value === 'number' && value <= maximum,
      },
      {
        name: 'min',
        message: `must not be less than ${minimum}`,
        accepts: (value) => typeof value === 'number' && value >= minimum,
      },
      {
        name: 'isNumber',
        message: 'must be a number conforming to the specified constraints',
        accepts: (value) => typeof value === 'number' && hasTwoDecimals(value),
      },
    ],
  };
}

function textConstraints(maximum: number): Constraint[] {
  return [
    {
      name: 'maxLength',
      message: `must be shorter than or equal to ${maximum} characters`,
      accepts: (value) => typeof value === 'string' && value.length <= maximum,
    },
    { name: 'isString', message: 'must be a string', accepts: (value) => typeof value === 'string' },
  ];
}

export function text(maximum: number): Property<string> {
  const isFilled: Constraint = {
    name: 'isNotEmpty',
    message: 'should not be empty',
    accepts: (value) => value !== undefined && value !== null && value !== '',
  };
  return {
    transform: (value) => (typeof value === 'string' ? value.trim() : value),
    constraints: [...textConstraints(maximum), isFilled],
  };
}

export function optionalText(maximum: number): Property<string | null> {
  return { constraints: textConstraints(maximum), fallback: { value: null } };
}

export function optionalUuid(): Property<string | null> {
  const pattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
  const accepts = (value: unknown): boolean => typeof value === 'string' && pattern.test(value);
  return { constraints: [{ name: 'isUuid', message: 'must be a UUID', accepts }], fallback: { value: null } };
}

/** A whole number of a query string. */
export function queryInteger(fallback: number, minimum: number, maximum?: number): Property<number> {
  const constraints: Constraint[] = [
    {
      name: 'min',
      message: `must not be less than ${minimum}`,
      accepts: (value) => typeof value === 'number' && value >= minimum,
    },
    { name: 'isInt', message: 'must be an integer number', accepts: Number.isSafeInteger },
  ];
  if (maximum !== undefined)
    constraints.unshift({
      name: 'max',
      message: `must not be greater than ${maximum}`,
      accepts: (value) => typeof value === 'number' && value <= maximum,
    });
  return {
    transform: (value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN),
    constraints,
    fallback: { value: fallback },
  };
}

export function optionalChoice<T extends string>(choices: readonly T[]): Property<T | null> {
  const accepts = (value: unknown): boolean => choices.some((choice) => choice === value);
  const message = `must be one of the following values: ${choices.join(', ')}`;
  return { constraints: [{ name: 'isEnum', message, accepts }], fallback: { value: null } };
}
