// Values of the profile settings for behavior, and whether a finding of the probe agrees with a profile.
import { isDeepStrictEqual } from 'node:util';
import { defaultProfile, type OutcomeRule, type Profile, type StatusDurations } from '@service/mock';
import type { Finding } from '@service/probe';

type BehaviorValues = Pick<
  Profile,
  'durations' | 'outcomes' | 'retrySchedule' | 'deliveryFaults' | 'rateLimit' | 'latency' | 'readLag'
>;

/** Values of the settings for behavior that are not a list of choices, the default first. */
export const behaviorValues: {
  readonly [Name in keyof BehaviorValues]: readonly Profile[Name][];
} = {
  durations: [defaultProfile.durations, { pending: '500ms', processing: ['1s', '4s'], completed: '2s' }],
  outcomes: [
    defaultProfile.outcomes,
    [
      { account: { prefix: 'SIM-FAIL' }, outcome: 'fail_early' },
      { account: { suffix: 'RETURN' }, outcome: 'return' },
    ],
    [{ account: { equals: 'SIM-FAIL' }, outcome: 'fail' }],
  ],
  retrySchedule: ['default', 'none', ['3s', '20s']],
  rateLimit: ['none', { requests: 500, window: '30s' }],
  readLag: [{}, { payments: '300ms' }, { balance: '400ms' }, { transactions: '700ms' }],
  // Real time, which a manual clock does not show.
  latency: [0],
  deliveryFaults: ['none', { duplicates: 0.3 }, { reorder: 0.5 }, { delay: ['1s', '2s'] }],
};

/** Returns whether a value that was found has the same effect as a profile, where another value can have the same. */
export function agrees(
  { setting, ...finding }: Finding & { readonly state: 'found' },
  profile: Profile,
): boolean {
  const { value } = finding;
  if (setting === 'returnRefund') {
    const resolve = (refund: unknown): unknown => (refund === 'same' ? profile.refund : refund);
    return resolve(value) === resolve(profile.returnRefund);
  }
  if (setting === 'durations') return agreeOnDurations(value as StatusDurations, profile);
  if (setting === 'outcomes') return agreeOnOutcomes(value as Profile['outcomes'], profile);
  // A probability that some events show has another figure, or none.
  if (setting === 'deliveryFaults') return agreeOnDeliveryFaults(value as Profile['deliveryFaults'], profile);
  if (setting === 'readLag') return agreeOnLag(value as Profile['readLag'], profile.readLag);
  return setting === 'retrySchedule' && agreeOnDelays(value, profile.retrySchedule);
}

function agreeOnDeliveryFaults(found: Profile['deliveryFaults'], { deliveryFaults }: Profile): boolean {
  const namesOf = (value: Profile['deliveryFaults']): string[] =>
    value === 'none' ? [] : Object.keys(value);
  return namesOf(found).every((name) => namesOf(deliveryFaults).includes(name));
}

function agreeOnLag(found: Profile['readLag'], actual: Profile['readLag']): boolean {
  return (['payments', 'balance', 'transactions'] as const).every(
    (read) => Math.abs(toMilliseconds(found[read] ?? 0) - toMilliseconds(actual[read] ?? 0)) < 300,
  );
}

function agreeOnDelays(found: unknown, actual: Profile['retrySchedule']): boolean {
  if (!Array.isArray(found) || !Array.isArray(actual) || found.length !== actual.length) return false;
  return found.every((delay, index) => Math.abs(toMilliseconds(delay) - toMilliseconds(actual[index])) < GAP);
}

/** The time between two reads of the probe, in milliseconds. */
const GAP = 1_000;

/** Returns whether each duration that was found is one of the profile, except for the time between two reads. */
function agreeOnDurations(found: StatusDurations, { durations, transitions }: Profile): boolean {
  const limitsOf = (given: StatusDurations, stage: keyof StatusDurations): readonly [number, number] => {
    const range = given[stage] ?? defaultProfile.durations[stage]!;
    const [least, most] = Array.isArray(range) ? range : [range, range];
    return [toMilliseconds(least), toMilliseconds(most)];
  };
  return Object.keys(found).every((name) => {
    const stage = name as keyof StatusDurations;
    const [least, most] = limitsOf(found, stage);
    const [from, to] = limitsOf(durations, stage);
    const skipped = limitsOf(durations, 'processing');
    if (transitions === 'skip' && stage === 'processing') return most === 0;
    if (transitions === 'skip' && stage === 'pending')
      return least >= from - GAP && most <= to + skipped[1] + GAP;
    return least >= from - GAP && most <= to + GAP;
  });
}

function toMilliseconds(duration: unknown): number {
  const [, figure, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(String(duration)) ?? [];
  return Number(figure) * (unit === 's' ? 1_000 : 1);
}

/** Returns whether the rules have the same outcome for the accounts of the probe. */
function agreeOnOutcomes(found: Profile['outcomes'], { outcomes, transitions }: Profile): boolean {
  const select = (rules: readonly OutcomeRule[]): unknown[] =>
    ['SIM-FAIL', 'SIM-RETURN'].map((account) => {
      const { outcome = 'ok' } = rules.find((rule) => matches(account, rule)) ?? {};
      // Without the status processing, both failures look the same.
      return transitions === 'skip' && outcome === 'fail_early' ? 'fail' : outcome;
    });
  return isDeepStrictEqual(select(found), select(outcomes));
}

function matches(
  text: string,
  { account: { equals = text, prefix = '', suffix = '' } = {} }: OutcomeRule,
): boolean {
  return text === equals && text.startsWith(prefix) && text.endsWith(suffix);
}
