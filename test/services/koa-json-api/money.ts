export interface Currency {
  readonly code: string;
  /** Number of decimals of an amount. */
  readonly decimals: number;
  /** Middle rate: units for one USD. */
  readonly perDollar: number;
  /** In whole units. */
  readonly minimumFee: number;
}

const currencies: readonly Currency[] = [
  { code: 'AED', decimals: 2, perDollar: 3.6725, minimumFee: 8 },
  { code: 'AUD', decimals: 2, perDollar: 1.5184, minimumFee: 3 },
  { code: 'BRL', decimals: 2, perDollar: 5.4312, minimumFee: 12 },
  { code: 'CAD', decimals: 2, perDollar: 1.3721, minimumFee: 3 },
  { code: 'CHF', decimals: 2, perDollar: 0.8043, minimumFee: 2 },
  { code: 'CNY', decimals: 2, perDollar: 7.1384, minimumFee: 15 },
  { code: 'EUR', decimals: 2, perDollar: 0.8617, minimumFee: 2 },
  { code: 'GBP', decimals: 2, perDollar: 0.7459, minimumFee: 2 },
  { code: 'INR', decimals: 2, perDollar: 88.214, minimumFee: 180 },
  { code: 'JPY', decimals: 0, perDollar: 149.37, minimumFee: 300 },
  { code: 'KES', decimals: 2, perDollar: 129.24, minimumFee: 260 },
  { code: 'MXN', decimals: 2, perDollar: 18.402, minimumFee: 40 },
  { code: 'NGN', decimals: 2, perDollar: 1_462.5, minimumFee: 3_000 },
  { code: 'PLN', decimals: 2, perDollar: 3.6641, minimumFee: 8 },
  { code: 'SEK', decimals: 2, perDollar: 9.4127, minimumFee: 20 },
  { code: 'SGD', decimals: 2, perDollar: 1.2953, minimumFee: 3 },
  { code: 'USD', decimals: 2, perDollar: 1, minimumFee: 2 },
  { code: 'ZAR', decimals: 2, perDollar: 17.286, minimumFee: 35 },
];

const byCode = new Map(currencies.map((currency) => [currency.code, currency]));

export function findCurrency(code: string): Currency | undefined {
  return byCode.get(code);
}

/**
 * Returns the currency of a code that was checked before.
 *
 * @throws {RangeError} when the service does not know the currency
 */
export function getCurrency(code: string): Currency {
  const currency = byCode.get(code);
  if (!currency) throw new RangeError(`No currency ${code}`);
  return currency;
}

/** Returns the smallest units of an amount, or undefined when it has too many decimals. */
export function toMinor(amount: number, decimals: number): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(String(amount));
  const [, whole = '', fraction = ''] = match ?? [];
  if (!match || fraction.length > decimals) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

export function toNumber(minor: bigint, code: string): number {
  return Number(minor) / 10 ** getCurrency(code).decimals;
}

export function formatMoney(minor: bigint, code: string): string {
  return `${toNumber(minor, code).toFixed(getCurrency(code).decimals)} ${code}`;
}
