import { ApiError, errorKinds } from './errors.ts';

interface Currency {
  /** Units of the currency per US dollar, at the middle rate. */
  readonly perDollar: number;
  readonly decimals: 0 | 2;
  readonly isEmerging: boolean;
}

interface FeeLimits {
  readonly minimum: number;
  readonly maximum: number;
}

/** A price in hundredths of each currency. */
export interface Price {
  readonly from: string;
  readonly to: string;
  readonly send: number;
  readonly fee: number;
  readonly rate: number;
  readonly receive: number;
}

const currencies: Readonly<Record<string, Currency>> = {
  USD: { perDollar: 1, decimals: 2, isEmerging: false },
  EUR: { perDollar: 0.9214, decimals: 2, isEmerging: false },
  GBP: { perDollar: 0.7865, decimals: 2, isEmerging: false },
  CAD: { perDollar: 1.3642, decimals: 2, isEmerging: false },
  JPY: { perDollar: 151.38, decimals: 0, isEmerging: false },
  CNY: { perDollar: 7.2406, decimals: 2, isEmerging: true },
  INR: { perDollar: 83.42, decimals: 2, isEmerging: true },
  NGN: { perDollar: 1538.5, decimals: 2, isEmerging: true },
  KES: { perDollar: 129.35, decimals: 2, isEmerging: true },
  GHS: { perDollar: 15.12, decimals: 2, isEmerging: true },
  ZAR: { perDollar: 18.47, decimals: 2, isEmerging: true },
};

/** Fee limits in hundredths of each currency that a wallet can have. */
const sources: Readonly<Record<string, FeeLimits>> = {
  USD: { minimum: 200, maximum: 15_000 },
  EUR: { minimum: 200, maximum: 14_000 },
  GBP: { minimum: 150, maximum: 12_000 },
  NGN: { minimum: 75_000, maximum: 15_000_000 },
  KES: { minimum: 15_000, maximum: 1_500_000 },
};

/** Destinations of the wallets whose currency cannot be sent everywhere. */
const corridors: Readonly<Record<string, readonly string[]>> = {
  NGN: ['NGN', 'USD', 'EUR', 'GBP', 'CNY'],
  KES: ['KES', 'USD', 'EUR', 'GBP', 'CNY'],
};

/** Fee and spread by destination, in basis points. */
const basisPoints = { major: { fee: 45, spread: 30 }, emerging: { fee: 90, spread: 110 } };

export const sourceCurrencies: readonly string[] = Object.keys(sources);
export const destinationCurrencies: readonly string[] = Object.keys(currencies);

/**
 * Prices a transfer. The fee is charged on top of the sent amount.
 * @throws {ApiError} when the service does not offer the pair of currencies.
 */
export function priceTransfer(from: string, to: string, send: number): Price {
  const [source, destination, limits] = [currencies[from], currencies[to], sources[from]];
  const isOffered = corridors[from]?.includes(to) ?? true;
  if (!source || !destination || !limits || !isOffered) {
    throw new ApiError(errorKinds.corridor, `Transfers from ${from} to ${to} are not supported.`);
  }
  if (from === to) return { from, to, send, fee: limits.minimum, rate: 1, receive: send };
  const { fee: percentage, spread } = basisPoints[destination.isEmerging ? 'emerging' : 'major'];
  const fee = Math.round((send * percentage) / 10_000);
  const millionths = Math.round((destination.perDollar / source.perDollar) * (10_000 - spread) * 100);
  return {
    from,
    to,
    send,
    fee: Math.min(Math.max(fee, limits.minimum), limits.maximum),
    rate: millionths / 1_000_000,
    receive: convert(send, millionths, destination.decimals),
  };
}

/** Multiplies by a rate in millionths and rounds half up to the decimals of the destination. */
function convert(send: number, millionths: number, decimals: 0 | 2): number {
  const unit = decimals === 0 ? 100n : 1n;
  const divisor = 1_000_000n * unit;
  return Number(((BigInt(send) * BigInt(millionths) + divisor / 2n) / divisor) * unit);
}

export function formatQuote({ from, to, send, fee, rate, receive }: Price): Record<string, unknown> {
  return {
    from_currency: from,
    to_currency: to,
    send_amount: send / 100,
    fee: fee / 100,
    rate,
    receive_amount: receive / 100,
  };
}
