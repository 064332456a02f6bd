import { parseDecimal } from './decimals.ts';
import { currencies } from './pricing.ts';

export interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface QuoteInput {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly amount: bigint;
}

export interface PaymentInput extends QuoteInput {
  readonly beneficiary: {
    readonly name: string;
    readonly bank?: string;
    readonly account?: string;
    readonly country?: string;
  };
  readonly purpose?: string;
}

const MAX_LENGTH = 140;
const optional = ['beneficiary_bank', 'beneficiary_account', 'beneficiary_country', 'purpose'] as const;
const sumFields = ['from_currency', 'to_currency', 'amount'];

/** Reads fields of a body and collects the issues. */
class BodyReader {
  readonly issues: Issue[] = [];
  readonly #body: Readonly<Record<string, unknown>>;

  constructor(body: unknown, known: readonly string[]) {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    this.#body = isObject ? (body as Record<string, unknown>) : {};
    if (!isObject) {
      this.#add([], 'Input should be a valid dictionary or object', 'model_attributes_type');
      return;
    }
    for (const name of Object.keys(this.#body)) {
      if (!known.includes(name)) this.#add([name], 'Extra inputs are not permitted', 'extra_forbidden');
    }
  }

  #add(loc: readonly string[], msg: string, type: string): undefined {
    // A body of another type has one issue only.
    if (this.issues[0]?.loc.length !== 1) this.issues.push({ loc: ['body', ...loc], msg, type });
  }

  #text(name: string): string | undefined {
    const value = this.#body[name];
    if (value === undefined) return this.#add([name], 'Field required', 'missing');
    if (typeof value === 'string') return value;
    return this.#add([name], 'Input should be a valid string', 'string_type');
  }

  name(name: string): string {
    const value = this.#text(name);
    if (value === '') this.#add([name], 'String should have at least 1 character', 'string_too_short');
    this.#limit(name, value);
    return value ?? '';
  }

  optionalText(name: string): string | undefined {
    const value = this.#body[name] ?? undefined;
    if (value === undefined) return undefined;
    const text = this.#text(name);
    this.#limit(name, text);
    return text;
  }

  #limit(name: string, value: string | undefined): void {
    if ((value?.length ?? 0) <= MAX_LENGTH) return;
    this.#add([name], `String should have at most ${MAX_LENGTH} characters`, 'string_too_long');
  }

  currency(name: string): string {
    const code = this.#text(name)?.toUpperCase();
    if (code === undefined) return '';
    if (!/^[A-Z]{3}$/.test(code)) {
      this.#add([name], "String should match pattern '^[A-Z]{3}$'", 'string_pattern_mismatch');
    } else if (!currencies.includes(code)) this.#add([name], `Unsupported currency ${code}`, 'value_error');
    return code;
  }

  amount(): bigint {
    const value = this.#body['amount'];
    const decimal = typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
    const cents = decimal === undefined ? undefined : parseDecimal(decimal, 2);
    if (value === undefined) this.#add(['amount'], 'Field required', 'missing');
    else if (cents === undefined) this.#add(['amount'], 'Input should be a valid decimal', 'decimal_type');
    else if (cents < 1n) {
      this.#add(['amount'], 'Input should be greater than or equal to 0.01', 'greater_than_equal');
    }
    return cents ?? 0n;
  }

  sum(): QuoteInput {
    const fromCurrency = this.currency('from_currency');
    const toCurrency = this.currency('to_currency');
    const amount = this.amount();
    if (this.issues.length === 0 && fromCurrency === toCurrency) {
      this.#add(['to_currency'], 'Currencies must differ', 'value_error');
    }
    return { fromCurrency, toCurrency, amount };
  }
}

export function readQuote(body: unknown): { readonly input: QuoteInput; readonly issues: readonly Issue[] } {
  const reader = new BodyReader(body, sumFields);
  return { input: reader.sum(), issues: reader.issues };
}

export function readPayment(body: unknown): {
  readonly input: PaymentInput;
  readonly issues: readonly Issue[];
} {
  const reader = new BodyReader(body, [...sumFields, 'beneficiary_name', ...optional]);
  const sum = reader.sum();
  const name = reader.name('beneficiary_name');
  const [bank, account, country, purpose] = optional.map((field) => reader.optionalText(field));
  const beneficiary = {
    name,
    ...(bank !== undefined && { bank }),
    ...(account !== undefined && { account }),
    ...(country !== undefined && { country }),
  };
  const input = { ...sum, beneficiary, ...(purpose !== undefined && { purpose }) };
  return { input, issues: reader.issues };
}
