import { ApiError, errorKinds, type FieldError } from './errors.ts';

export interface TextRule {
  readonly isRequired?: boolean;
  readonly minimum?: number;
  readonly maximum: number;
}

export interface IntegerRule {
  readonly minimum: number;
  readonly maximum?: number;
  readonly default: number;
}

const MAXIMUM_AMOUNT = 999_999_999.99;

/** Reads fields of a body or a query and collects every error, so that the caller sees all of them at once. */
export class Validator {
  readonly #input: Readonly<Record<string, unknown>>;
  readonly #errors: FieldError[] = [];

  constructor(input: Readonly<Record<string, unknown>>) {
    this.#input = input;
  }

  /** Returns the text without surrounding and repeated spaces, or null if it is blank. */
  text(field: string, { isRequired = false, minimum = 0, maximum }: TextRule): string | null {
    const value = this.#input[field] ?? '';
    if (typeof value !== 'string') return this.#reject(field, 'invalid_type', 'must be a string');
    const text = value.trim().replaceAll(/\s+/g, ' ');
    if (text === '') return isRequired ? this.#reject(field, 'blank', "can't be blank") : null;
    if (text.length < minimum) {
      return this.#reject(field, 'too_short', `is too short (minimum is ${minimum} characters)`);
    }
    if (text.length > maximum) {
      return this.#reject(field, 'too_long', `is too long (maximum is ${maximum} characters)`);
    }
    return text;
  }

  /** Returns the currency code in uppercase. */
  currency(field: string, supported: readonly string[]): string {
    const code = this.text(field, { isRequired: true, maximum: 64 })?.toUpperCase();
    if (code === undefined) return '';
    if (code.length !== 3) {
      return this.#reject(field, 'wrong_length', 'is the wrong length (should be 3 characters)') ?? '';
    }
    if (!supported.includes(code)) this.#reject(field, 'inclusion', 'is not a supported currency');
    return code;
  }

  /** Returns the amount in hundredths. */
  amount(field: string, minimum: number): number {
    const value = this.#input[field] ?? null;
    if (value === null) return Number(this.#reject(field, 'blank', "can't be blank"));
    if (typeof value !== 'number') return Number(this.#reject(field, 'not_a_number', 'is not a number'));
    const hundredths = Math.round(value * 100);
    if (value < minimum) {
      this.#reject(field, 'greater_than_or_equal_to', `must be greater than or equal to ${minimum}`);
    } else if (value > MAXIMUM_AMOUNT) {
      this.#reject(field, 'less_than_or_equal_to', `must be less than or equal to ${MAXIMUM_AMOUNT}`);
    } else if (Math.abs(value * 100 - hundredths) > 1e-4) {
      this.#reject(field, 'too_precise', 'must have at most 2 decimal places');
    }
    return hundredths;
  }

  integer(field: string, { minimum, maximum, default: defaultValue }: IntegerRule): number {
    const text = this.#input[field];
    if (typeof text !== 'string' || text === '') return defaultValue;
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text)) this.#reject(field, 'not_an_integer', 'must be an integer');
    else if (value < minimum) {
      this.#reject(field, 'greater_than_or_equal_to', `must be greater than or equal to ${minimum}`);
    } else if (maximum !== undefined && value > maximum) {
      this.#reject(field, 'less_than_or_equal_to', `must be less than or equal to ${maximum}`);
    }
    return value;
  }

  /** Returns one of the options, or undefined if the field is blank. */
  option<Option extends string>(field: string, options: readonly Option[]): Option | undefined {
    const value = this.#input[field] ?? '';
    const found = options.find((option) => option === value);
    if (value !== '' && !found) this.#reject(field, 'inclusion', `must be one of: ${options.join(', ')}`);
    return found;
  }

  /** @throws {ApiError} when a field has an error. */
  finish(): void {
    if (this.#errors.length === 0) return;
    const message = `Validation failed: ${this.#errors.map((error) => error.message).join(', ')}`;
    throw new ApiError(errorKinds.validation, message, { details: this.#errors });
  }

  #reject(field: string, code: string, text: string): null {
    const name = field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
    this.#errors.push({ field, code, message: `${name} ${text}` });
    return null;
  }
}
