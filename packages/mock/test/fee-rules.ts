import type { Profile } from '@service/mock';
import * as fc from 'fast-check';

const amount = fc
  .bigInt({ min: 0n, max: 20_000n })
  .map((cents) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`);
const percentText = fc
  .tuple(fc.nat(9), fc.constantFrom('', '.5', '.25', '.125', '.333333'))
  .map(([whole, rest]) => `${whole}${rest}`);
const limits = fc
  .tuple(amount, amount)
  .map(([one, other]) =>
    Number(one) <= Number(other) ? { minimum: one, maximum: other } : { minimum: other, maximum: one },
  );

/** A fee rule for all currencies. */
export const feeRule: fc.Arbitrary<Profile['fees'][number]> = fc
  .tuple(
    fc.record({ percent: percentText, flat: amount }, { requiredKeys: [] }),
    limits,
    fc.constantFrom('none', 'minimum', 'maximum', 'both'),
  )
  .map(([rule, { minimum, maximum }, kept]) => ({
    ...rule,
    ...((kept === 'minimum' || kept === 'both') && { minimum }),
    ...((kept === 'maximum' || kept === 'both') && { maximum }),
  }));

const code = fc.constantFrom('USD', 'EUR', 'JPY');
const feeMode = fc.constantFrom('inside' as const, 'onTop' as const, 'inRate' as const);

/** A fee schedule with rules for some currencies. */
export const feeSchedule: fc.Arbitrary<Profile['fees']> = fc.array(
  fc
    .tuple(feeRule, fc.record({ from: code, to: code, mode: feeMode }, { requiredKeys: [] }))
    .map(([rule, others]) => ({ ...others, ...rule })),
  { maxLength: 3 },
);

/**
 * Whether a few quotes determine a rule: its percentage has at most three decimals, and its limits are apart
 * from each other and from the fixed amount.
 */
export function isDistinct(rule: Profile['fees'][number]): boolean {
  const { percent = '' } = rule;
  const [flat, minimum, maximum] = [rule.flat, rule.minimum, rule.maximum].map((text) =>
    Number(text ?? 0),
  ) as [number, number, number];
  const isMinimumApart = rule.minimum === undefined || minimum > flat + 0.5;
  const isMaximumApart = rule.maximum === undefined || maximum > 2 * Math.max(flat, minimum) + 10;
  return isMinimumApart && isMaximumApart && !percent.includes('333333');
}
