import { type Duration, isRecord, toMilliseconds } from '@service/internal';
import type { ProfileSetting } from './finding.ts';

/** The settings whose values are measured times or shares. They differ a little from run to run. */
const measuredSettings: ReadonlySet<ProfileSetting> = new Set([
  'durations',
  'latency',
  'readLag',
  'deliveryFaults',
]);

/** Allowed difference of two times, in milliseconds, and of two probabilities. */
const [TIME_TOLERANCE, SHARE_TOLERANCE] = [1_000, 0.25];

/** Returns whether two values of a setting are the same, except for the inaccuracy of a measurement. */
export function isWithinTolerance(setting: ProfileSetting, found: unknown, expected: unknown): boolean {
  if (!measuredSettings.has(setting)) return false;
  if (!isRecord(found) || !isRecord(expected)) return areClose(found, expected);
  const names = [...new Set([...Object.keys(found), ...Object.keys(expected)])];
  const isInBoth = (name: string): boolean => name in found && name in expected;
  // A status that no payment of one run had is not compared.
  const compared = setting === 'durations' ? names.filter(isInBoth) : names;
  return compared.every((name) => areClose(found[name] ?? 0, expected[name] ?? 0));
}

function areClose(one: unknown, two: unknown): boolean {
  const isShare = [one, two].every((value) => typeof value === 'number' && value <= 1);
  if (isShare) return Math.abs(Number(one) - Number(two)) <= SHARE_TOLERANCE;
  const [[from, to], [least, most]] = [readLimits(one), readLimits(two)];
  return from <= most + TIME_TOLERANCE && least <= to + TIME_TOLERANCE;
}

/** Returns the limits of a duration; NaN, which is close to nothing, for any other value. */
function readLimits(value: unknown): readonly [number, number] {
  const [from, to] = (Array.isArray(value) ? [value[0], value.at(-1)] : [value, value]) as Duration[];
  return [toMilliseconds(from ?? Number.NaN), toMilliseconds(to ?? Number.NaN)];
}
