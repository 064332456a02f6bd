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

/** A fee rule. */
export const fee: fc.Arbitrary<Profile['fees']> = fc
  .tuple(
    fc.record(
      {
        percent: percentText,
        flat: amount,
        mode: fc.constantFrom('inside' as const, 'onTop' as const),
      },
      { requiredKeys: [] },
    ),
    limits,
    fc.constantFrom('none', 'minimum', 'maximum', 'both'),
  )
  .map(([rule, { minimum, maximum }, kept]) => ({
    ...rule,
    ...((kept === 'minimum' || kept === 'both') && { minimum }),
    ...((kept === 'maximum' || kept === 'both') && { maximum }),
  }));
