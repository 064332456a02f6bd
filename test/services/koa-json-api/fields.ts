import { type Problem, type ProblemSource, validationError } from './errors.ts';
import { findCurrency, toMinor } from './money.ts';

export interface TextRule {
  readonly pattern?: RegExp;
  /** Words for the pattern, after "must be". */
  readonly hint?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface AmountRule {
  readonly currency: string;
  /** In whole units. */
  readonly minimum: number;
}

const LARGEST_AMOUNT = 999_999_999_999;

/** Reads the members of a body and collects everything that is wrong with them. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #problems: Problem[] = [];

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** @throws {ApiError} when a member was wrong */
  check(): void {
    if (this.#problems.length > 0) throw validationError(this.#problems);
  }

  requiredText(name: string, rule: TextRule = {}): string {
    const value = this.optionalText(name, rule);
    const given = this.#values[name];
    const isBlank = typeof given === 'string' && given.trim() === '';
    if (given === undefined || given === null || isBlank) this.#addMissing(name);
    return value ?? '';
  }

  /** Returns the text without outer spaces, or null when there is none. */
  optionalText(
    name: string,
    { pattern, hint = '', minimum = 1, maximum = 140 }: TextRule = {},
  ): string | null {
    const value = this.#values[name];
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string') {
      this.#add(name, 'invalid_type', `${name} must be a string.`);
      return null;
    }
    const text = value.trim();
    if (text === '') return null;
    if (text.length < minimum || text.length > maximum)
      this.#add(name, 'invalid_length', `${name} must have ${minimum} to ${maximum} characters.`);
    else if (pattern && !pattern.test(text)) this.#add(name, 'invalid_format', `${name} must be ${hint}.`);
    return text;
  }

  currency(name: string): string {
    const rule = { pattern: /^[A-Z]{3}$/, hint: 'a currency code of three capital letters', maximum: 16 };
    const code = this.requiredText(name, rule);
    if (rule.pattern.test(code) && !findCurrency(code))
      this.#add(name, 'unsupported_currency', `${name} ${code} is not a supported currency.`);
    return code;
  }

  /** Returns an amount in the smallest units of its currency. */
  amount(name: string, { currency, minimum }: AmountRule): bigint {
    const value = this.#values[name];
    const decimals = findCurrency(currency)?.decimals ?? 2;
    if (value === undefined || value === null) this.#addMissing(name);
    else if (typeof value !== 'number') this.#add(name, 'invalid_type', `${name} must be a number.`);
    else if (value < minimum || value > LARGEST_AMOUNT)
      this.#add(name, 'out_of_range', `${name} must be between ${minimum} and ${LARGEST_AMOUNT}.`);
    else {
      const minor = toMinor(value, decimals);
      if (minor !== undefined) return minor;
      this.#add(name, 'invalid_precision', `${name} must have at most ${decimals} decimals.`);
    }
    return 0n;
  }

  #addMissing(name: string): void {
    this.#add(name, 'required', `${name} is required.`);
  }

  #add(name: string, code: string, detail: string): void {
    this.#problems.push({ code, detail, source: { pointer: `/${name}` } });
  }
}

export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** Reads query parameters and collects everything that is wrong with them. */
export class Parameters {
  readonly #query: Query;
  readonly #problems: Problem[] = [];

  constructor(query: Query) {
    this.#query = query;
  }

  /** @throws {ApiError} when a parameter was wrong */
  check(): void {
    if (this.#problems.length > 0) throw validationError(this.#problems);
  }

  text(name: string): string | undefined {
    const value = this.#query[name];
    if (!Array.isArray(value)) return value;
    this.reject(name, 'repeated_parameter', `${name} must be given once.`);
    return undefined;
  }

  integer(name: string, [minimum, maximum]: readonly [number, number]): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value >= minimum && value <= maximum) return value;
    this.reject(name, 'out_of_range', `${name} must be an integer between ${minimum} and ${maximum}.`);
    return undefined;
  }

  /** Returns the values of a list that is separated by commas. */
  choices<Choice extends string>(name: string, allowed: readonly Choice[]): readonly Choice[] | undefined {
    const values = this.text(name)?.split(',');
    const known = values?.flatMap((value) => allowed.filter((choice) => choice === value));
    if (known?.length !== values?.length)
      this.reject(name, 'unknown_value', `${name} must be one of ${allowed.join(', ')}.`);
    return known;
  }

  reject(name: string, code: string, detail: string): void {
    const source: ProblemSource = { parameter: name };
    this.#problems.push({ code, detail, source });
  }
}
