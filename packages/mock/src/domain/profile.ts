import type { Profile } from '@service/internal';

export { defaultProfile, type DeprecationDates, type Profile, profileSettings } from '@service/internal';

/** The settings for money and statuses. A payment keeps the values from its create. */
export type Terms = Pick<
  Profile,
  | 'minorUnits'
  | 'rounding'
  | 'feeMode'
  | 'fees'
  | 'rates'
  | 'debitAt'
  | 'refund'
  | 'transitions'
  | 'unknownStatus'
  | 'hold'
  | 'returnRefund'
  | 'durations'
  | 'outcomes'
  | 'extraStatuses'
>;

const renamed: ReadonlyMap<unknown, Profile['idempotency']> = new Map([
  ['on', 'replayed'],
  ['off', 'ignored'],
  ['conflictOnReplay', 'conflict'],
]);

/** Translates the values of a stored profile that an earlier version named differently. */
export function upgradeProfile<Stored extends object>(profile: Stored): Stored {
  const idempotency = renamed.get((profile as { readonly idempotency?: unknown }).idempotency);
  return idempotency === undefined ? profile : { ...profile, idempotency };
}
