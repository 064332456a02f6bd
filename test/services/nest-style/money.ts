/** All amounts of the service are whole hundredths, also those of currencies without decimals. */
interface Currency {
  /** Units for one US dollar. */
  readonly perDollar: number;
  readonly decimals: 0 | 2;
  /** Part of the rate that the service keeps. */
  readonly margin: number;
  /** Smallest fee, in hundredths. */
  readonly minimumFee: bigint;
}

const currencies: Readonly<Record<string, Currency>> = {
  USD: { perDollar: 1, decimals: 2, margin: 0.0015, minimumFee: 200n },
  EUR: { perDollar: 0.9214, decimals: 2, margin: 0.0015, minimumFee: 200n },
  GBP: { perDollar: 0.7873, decimals: 2, margin: 0.0015, minimumFee: 150n },
  CHF: { perDollar: 0.8812, decimals: 2, margin: 0.002, minimumFee: 200n },
  CAD: { perDollar: 1.3921, decimals: 2, margin: 0.002, minimumFee: 250n },
  PLN: { perDollar: 3.9642, decimals: 2, margin: 0.003, minimumFee: 800n },
  AED: { perDollar: 3.6725, decimals: 2, margin: 0.003, minimumFee: 700n },
  CNY: { perDollar: 7.1893, decimals: 2, margin: 0.004, minimumFee: 1_400n },
  INR: { perDollar: 84.31, decimals: 2, margin: 0.004, minimumFee: 15_000n },
  JPY: { perDollar: 151.27, decimals: 0, margin: 0.002, minimumFee: 30_000n },
  KES: { perDollar: 129.1, decimals: 2, margin: 0.006, minimumFee: 25_000n },
  NGN: { perDollar: 1_542.3, decimals: 2, margin: 0.008, minimumFee: 250_000n },
};

const FEE_BASIS_POINTS = 60n;
/** Largest fee as a multiple of the smallest. */
const MAXIMUM_FEE_FACTOR = 75n;
const RATE_SCALE = 1_000_000n;

export function findCurrency(code: string): Currency | undefined {
  return Object.hasOwn(currencies, code) ? currencies[code] : undefined;
}

export function isSupported(code: string): boolean {
  return findCurrency(code) !== undefined;
}

export function toHundredths(amount: number): bigint {
  return BigInt(Math.round(amount * 100));
}

export function toAmount(hundredths: bigint): number {
  return Number(hundredths) / 100;
}

/** Divides and rounds half to even. */
function divide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = (dividend % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}

/** Returns the smallest amount of a currency in hundredths. */
export function smallestAmount(code: string): bigint {
  return findCurrency(code)?.decimals === 0 ? 100n : 1n;
}

/** Converts hundredths with a rate in millionths. */
export function convert(amount: bigint, rate: bigint, to: string): bigint {
  const step = smallestAmount(to);
  return divide(amount * rate, RATE_SCALE * step) * step;
}

/** Returns the fee that is charged on top of an amount. */
export function calculateFee(amount: bigint, from: string, to: string): bigint {
  const minimum = findCurrency(from)?.minimumFee ?? 0n;
  if (from === to) return minimum;
  const step = smallestAmount(from);
  const fee = divide(amount * FEE_BASIS_POINTS, 10_000n * step) * step;
  const maximum = minimum * MAXIMUM_FEE_FACTOR;
  if (fee < minimum) return minimum;
  return fee > maximum ? maximum : fee;
}

/** The reference rates of the day. */
export class RateTable {
  readonly #perDollar: ReadonlyMap<string, number>;

  constructor(random: { readonly next: () => number }) {
    const entries = Object.entries(currencies).map(([code, { perDollar }]): [string, number] => [
      code,
      code === 'USD' ? 1 : perDollar * (0.99 + random.next() * 0.02),
    ]);
    this.#perDollar = new Map(entries);
  }

  /** Returns the rate of two supported currencies in millionths. */
  find(from: string, to: string): bigint {
    if (from === to) return RATE_SCALE;
    const middle = (this.#perDollar.get(to) ?? 0) / (this.#perDollar.get(from) ?? 1);
    const margin = (findCurrency(from)?.margin ?? 0) + (findCurrency(to)?.margin ?? 0);
    return BigInt(Math.max(1, Math.round(middle * (1 - margin) * Number(RATE_SCALE))));
  }
}

export function toRate(millionths: bigint): number {
  return Number(millionths) / Number(RATE_SCALE);
}
