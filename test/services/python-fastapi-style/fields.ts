import { type Decimal, parseDecimal, toMinorUnits } from './decimal.ts';
import type { FieldError } from './errors.ts';

type Parsed<T> = { readonly value: T } | { readonly type: string; readonly msg: string };

/** A field of a request model. */
export interface Field<T> {
  readonly parse: (input: unknown) => Parsed<T>;
  /** Value of a missing field. The field is required without it. */
  readonly initial?: T;
}

type Model<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** The result of a check. `model` is complete only if there are no errors. */
export interface Checked<M> {
  readonly model: M;
  readonly errors: readonly FieldError[];
}

export function checkFields<F extends Readonly<Record<string, Field<unknown>>>>(
  place: string,
  values: Readonly<Record<string, unknown>>,
  fields: F,
): Checked<Model<F>> {
  const errors: FieldError[] = [];
  const model: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const isGiven = Object.hasOwn(values, name) && values[name] !== undefined;
    if (isGiven) {
      const parsed = field.parse(values[name]);
      if ('value' in parsed) model[name] = parsed.value;
      else errors.push({ loc: [place, name], msg: parsed.msg, type: parsed.type });
    } else if ('initial' in field) model[name] = field.initial;
    else errors.push({ loc: [place, name], msg: 'Field required', type: 'missing' });
  }
  return { model: model as Model<F>, errors };
}

/** A string whose length is counted in code points. */
export function stringField(minimum: number, maximum: number): Field<string> {
  return {
    parse: (input) => {
      if (typeof input !== 'string') return { type: 'string_type', msg: 'Input should be a valid string' };
      const value = input.trim();
      const length = Array.from(value).length;
      if (length < minimum) {
        const noun = minimum === 1 ? 'character' : 'characters';
        return { type: 'string_too_short', msg: `String should have at least ${minimum} ${noun}` };
      }
      if (length > maximum)
        return { type: 'string_too_long', msg: `String should have at most ${maximum} characters` };
      return { value };
    },
  };
}

/** A field that may be missing or null. */
export function optionalField<T>({ parse }: Field<T>): Field<T | null> {
  return { parse: (input) => (input === null ? { value: null } : parse(input)), initial: null };
}

export function enumField<T extends string>(members: readonly T[]): Field<T> {
  const names = members.map((member) => `'${member}'`);
  const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
  return {
    parse: (input) => {
      const value = members.find((member) => member === input);
      return value === undefined ? { type: 'enum', msg: `Input should be ${list}` } : { value };
    },
  };
}

/** An integer of the query string. */
export function integerField(initial: number, minimum: number, maximum?: number): Field<number> {
  return {
    initial,
    parse: (input) => {
      if (typeof input !== 'string' || !/^\s*[+-]?\d+(\.0+)?\s*$/.test(input)) {
        const msg = 'Input should be a valid integer, unable to parse string as an integer';
        return { type: 'int_parsing', msg };
      }
      const value = Number(input);
      if (value < minimum)
        return {
          type: 'greater_than_equal',
          msg: `Input should be greater than or equal to ${minimum}`,
        };
      if (maximum !== undefined && value > maximum)
        return { type: 'less_than_equal', msg: `Input should be less than or equal to ${maximum}` };
      return { value };
    },
  };
}

const MIN_AMOUNT = 1n;
const MAX_AMOUNT = 100_000_000n;

/** An amount of money in hundredths. Numeric strings are converted, as in the lax mode of Pydantic. */
export const amountField: Field<bigint> = {
  parse: (input) => {
    if (typeof input !== 'number' && typeof input !== 'string') {
      const msg = 'Decimal input should be an integer, float, string or Decimal object';
      return { type: 'decimal_type', msg };
    }
    if (/^\s*[+-]?(inf(inity)?|nan)\s*$/i.test(String(input)))
      return { type: 'finite_number', msg: 'Input should be a finite number' };
    const decimal = parseDecimal(String(input));
    return decimal
      ? checkAmount(decimal)
      : { type: 'decimal_parsing', msg: 'Input should be a valid decimal' };
  },
};

function checkAmount(decimal: Decimal): Parsed<bigint> {
  if (decimal.places > 2) {
    const msg = 'Decimal input should have no more than 2 decimal places';
    return { type: 'decimal_max_places', msg };
  }
  const value = toMinorUnits(decimal);
  if (value > MAX_AMOUNT)
    return { type: 'less_than_equal', msg: 'Input should be less than or equal to 1000000' };
  if (value < MIN_AMOUNT)
    return { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 0.01' };
  return { value };
}
