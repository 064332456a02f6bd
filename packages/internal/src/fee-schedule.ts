import { CENT, toMicro } from './micro.ts';
import type { FeeRule } from './profile.ts';

/** The parts of a hundredth in which `computeExactFee` counts. */
export const FEE_PARTS: bigint = 10n ** 8n;

/** The currencies and the amount in hundredths that select a fee rule. */
export interface FeeOrder {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

/** Returns the first rule of a fee schedule that matches two currencies and an amount. */
export function findFeeRule(rules: readonly FeeRule[], { from, to, amount }: FeeOrder): FeeRule | undefined {
  return rules.find(
    (rule) =>
      (rule.from ?? from) === from &&
      (rule.to ?? to) === to &&
      (rule.amount === undefined || amount * CENT >= (toMicro(rule.amount.from) ?? 0n)),
  );
}

/**
 * Computes the fee of an amount in hundredths before it is rounded, in parts of a hundredth (`FEE_PARTS`).
 * Without a rule it is 0.
 */
export function computeExactFee(rule: FeeRule | undefined, amount: bigint): bigint {
  return rule === undefined ? 0n : parseFeeRule(rule)(amount);
}

/** Parses a rule, for the exact fees of many amounts. */
export function parseFeeRule(rule: FeeRule): (amount: bigint) => bigint {
  const [percent, flat] = [readPercent(rule), toParts(rule.flat) ?? 0n];
  const [least, most] = [toParts(rule.minimum), toParts(rule.maximum)];
  return (amount) => {
    const fee = amount * percent + flat;
    if (least !== undefined && fee < least) return least;
    return most !== undefined && fee > most ? most : fee;
  };
}

/** Reads the share of a rule in parts of the amount (`FEE_PARTS`). */
export function readPercent({ percent = '0' }: FeeRule): bigint {
  return toMicro(percent) ?? 0n;
}

/** Converts decimal text to parts of a hundredth. */
function toParts(amount: string | undefined): bigint | undefined {
  const micro = toMicro(amount);
  return micro === undefined ? undefined : (micro * FEE_PARTS) / CENT;
}
