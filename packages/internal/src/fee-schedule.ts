import { CENT, toMicro } from './micro.ts';
import type { FeeRule } from './profile.ts';

/** The parts of a hundredth in which fees are computed. */
export const FEE_PARTS: bigint = 10n ** 8n;

/** Parses a rule, for the fees of many amounts in hundredths, before they are rounded, in parts of a hundredth (`FEE_PARTS`). */
export function parseFeeRule(rule: FeeRule): (amount: bigint) => bigint {
  const [percent, flat] = [toMicro(rule.percent) ?? 0n, toParts(rule.flat) ?? 0n];
  const [least, most] = [toParts(rule.minimum), toParts(rule.maximum)];
  return (amount) => {
    const fee = amount * percent + flat;
    if (least !== undefined && fee < least) return least;
    return most !== undefined && fee > most ? most : fee;
  };
}

/** Converts decimal text to parts of a hundredth. */
function toParts(amount: string | undefined): bigint | undefined {
  const micro = toMicro(amount);
  return micro === undefined ? undefined : (micro * FEE_PARTS) / CENT;
}
