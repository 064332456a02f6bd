// Amounts are integers of the smallest unit of their currency. Rates are millionths.

interface Tariff {
  /** Percent in hundredths. */
  readonly percent: bigint;
  readonly flat: bigint;
  readonly minimum: bigint;
  readonly maximum: bigint | undefined;
}

const places: Readonly<Record<string, number>> = { USD: 2, EUR: 2, GBP: 2, JPY: 0, PLN: 2 };
/** Value of one unit in EUR, in millionths. */
const values: Readonly<Record<string, bigint>> = {
  EUR: 1_000_000n,
  USD: 927_480n,
  GBP: 1_171_200n,
  JPY: 6_105n,
  PLN: 233_610n,
};
const tariffs: Readonly<Record<string, Tariff>> = {
  USD: { percent: 75n, flat: 0n, minimum: 50n, maximum: 25_00n },
  EUR: { percent: 0n, flat: 1_20n, minimum: 0n, maximum: undefined },
  GBP: { percent: 40n, flat: 30n, minimum: 0n, maximum: undefined },
};
const standard: Tariff = { percent: 100n, flat: 0n, minimum: 0n, maximum: undefined };

export class Money {
  readonly units: bigint;
  readonly currency: string;

  constructor(units: bigint, currency: string) {
    this.units = units;
    this.currency = currency;
  }

  static isKnown(currency: string): boolean {
    return currency in places;
  }

  /** @throws {RangeError} when the amount has more decimal places than the currency */
  static parse(decimal: string, currency: string): Money {
    const digits = places[currency] ?? 2;
    const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d+?)0*)?$/.exec(decimal) ?? [];
    if (whole === undefined || (fraction !== '0' && fraction.length > digits))
      throw new RangeError('Too precise');
    return new Money(BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0')), currency);
  }

  plus(other: Money): Money {
    return new Money(this.units + other.units, this.currency);
  }

  negate(): Money {
    return new Money(-this.units, this.currency);
  }

  /** Charged on top of the amount. */
  get fee(): Money {
    const { percent, flat, minimum, maximum } = tariffs[this.currency] ?? standard;
    const charged = flat + roundHalfUp(this.units * percent, 10_000n);
    const raised = charged < minimum ? minimum : charged;
    return new Money(maximum !== undefined && raised > maximum ? maximum : raised, this.currency);
  }

  /** The millionths of the target currency for one unit. */
  rateTo(currency: string): bigint {
    return roundHalfUp((values[this.currency] ?? 0n) * 1_000_000n, values[currency] ?? 1n);
  }

  convert(currency: string): Money {
    const shift = (places[this.currency] ?? 2) - (places[currency] ?? 2);
    const scaled = shift < 0 ? this.units * 10n ** BigInt(-shift) : this.units;
    const divisor = 1_000_000n * 10n ** BigInt(Math.max(0, shift));
    return new Money(roundHalfUp(scaled * this.rateTo(currency), divisor), currency);
  }

  toNumber(): number {
    return Number(this.toString());
  }

  toString(): string {
    const digits = places[this.currency] ?? 2;
    const sign = this.units < 0n ? '-' : '';
    const padded = String(this.units < 0n ? -this.units : this.units).padStart(digits + 1, '0');
    return digits === 0 ? sign + padded : `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
  }
}

function roundHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n);
}
