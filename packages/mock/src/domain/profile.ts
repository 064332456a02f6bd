import {
  behaviorDefaults,
  type DeprecationDates,
  moneyDefaults,
  type Profile,
  profileSettings,
  statuses,
} from '@service/internal';

export { type DeprecationDates, type Profile, profileSettings };

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
  | BehaviorTerm
>;

/** The behavior settings that a payment keeps. */
type BehaviorTerm = 'hold' | 'returnRefund' | 'durations' | 'outcomes' | 'extraStatuses';

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

/** The default value of every setting. */
export const defaultProfile: Profile = Object.freeze({
  ...firstValues(),
  ...behaviorDefaults,
  ...moneyDefaults,
  events: Object.freeze([...statuses]),
  deprecation: 'none' as const,
  refusals: Object.freeze({}),
  issues: Object.freeze({}),
  problems: Object.freeze({}),
  envelope: Object.freeze({}),
  beside: Object.freeze({}),
  quoteShape: 'documented' as const,
  paymentShape: 'documented' as const,
  balanceShape: 'documented' as const,
  eventShape: 'documented' as const,
  eventHeaders: Object.freeze({}),
  headers: Object.freeze({}),
  ids: Object.freeze({}),
});

function firstValues(): Pick<Profile, keyof typeof profileSettings> {
  const values = Object.entries(profileSettings).map(([name, [first]]) => [name, first]);
  return Object.fromEntries(values) as Pick<Profile, keyof typeof profileSettings>;
}
