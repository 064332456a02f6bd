// Moving rates. Amounts are cents, rates are millionths.

const basePerDollar: Readonly<Record<string, number>> = {
  USD: 1,
  EUR: 0.9187,
  GBP: 0.7791,
  ZAR: 18.412,
  CAD: 1.3655,
};
const PERIOD = 5_000;
const MAX_MOVE = 0.004;
/** The part of the rate that the service keeps instead of a fee. */
const SPREAD = 0.008;

export interface MarketOptions {
  readonly seed: number;
  /** Factor by which the rates move more often. */
  readonly speed: number;
}

/** Returns the function that reads the current rate of a pair. Undefined for an unknown currency. */
export function createMarket({
  seed,
  speed,
}: MarketOptions): (from: string, to: string) => bigint | undefined {
  return (from, to) => {
    const [source, target] = [basePerDollar[from], basePerDollar[to]];
    if (source === undefined || target === undefined) return undefined;
    if (from === to) return 1_000_000n;
    const period = Math.floor((Date.now() * speed) / PERIOD);
    const move = 1 + MAX_MOVE * noise(`${seed}:${from}:${to}:${period}`);
    return BigInt(Math.round((target / source) * move * (1 - SPREAD) * 1e6));
  };
}

/** Returns a number from -1 to 1 that depends only on the text (FNV-1a). */
function noise(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 31 - 1;
}

/** Converts an amount and rounds down. */
export const convert = (cents: bigint, rate: bigint): bigint => (cents * rate) / 1_000_000n;
