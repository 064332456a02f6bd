import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import { type Currency, getCurrency } from './money.ts';

/** Part of the middle rate that the service keeps. */
const MARGIN = 0.0045;
/** Seconds for which the market rate stays the same. */
const RATE_PERIOD = 30;
/** Largest move of a currency, as part of its rate. */
const LARGEST_MOVE = 0.001;
const FEE_PER_TEN_THOUSAND = 40n;
/** The largest fee is this many times the smallest. */
const FEE_RANGE = 100n;

export interface Price {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly sendMinor: bigint;
  readonly feeMinor: bigint;
  /** Rate in millionths. */
  readonly rateMicro: bigint;
  readonly receiveMinor: bigint;
}

export interface PriceRequest {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly sendMinor: bigint;
}

export class PriceList {
  readonly #seed: number;
  readonly #clock: Clock;

  constructor(seed: number, clock: Clock) {
    this.#seed = seed;
    this.#clock = clock;
  }

  price({ fromCurrency, toCurrency, sendMinor }: PriceRequest): Price {
    const from = getCurrency(fromCurrency);
    const to = getCurrency(toCurrency);
    const rateMicro = this.#rate(from, to);
    const converted = sendMinor * rateMicro * 10n ** BigInt(to.decimals);
    const receiveMinor = converted / (1_000_000n * 10n ** BigInt(from.decimals));
    return {
      fromCurrency,
      toCurrency,
      sendMinor,
      feeMinor: computeFee(sendMinor, from, to),
      rateMicro,
      receiveMinor,
    };
  }

  #rate(from: Currency, to: Currency): bigint {
    if (from.code === to.code) return 1_000_000n;
    const middle = this.#market(to) / this.#market(from);
    return BigInt(Math.round(middle * (1 - MARGIN) * 1_000_000));
  }

  #market({ code, perDollar }: Currency): number {
    const period = Math.floor(this.#clock.elapsed() / RATE_PERIOD);
    const hash = createHash('sha256').update(`${this.#seed}/${code}/${period}`).digest();
    return perDollar * (1 + LARGEST_MOVE * ((2 * hash.readUInt32BE()) / 2 ** 32 - 1));
  }
}

/** Returns the fee, which is charged in addition to the amount. A payment without exchange costs the smallest fee. */
function computeFee(sendMinor: bigint, from: Currency, to: Currency): bigint {
  const smallest = BigInt(from.minimumFee) * 10n ** BigInt(from.decimals);
  const largest = smallest * FEE_RANGE;
  const share = (sendMinor * FEE_PER_TEN_THOUSAND + 5_000n) / 10_000n;
  if (from.code === to.code || share < smallest) return smallest;
  return share > largest ? largest : share;
}
