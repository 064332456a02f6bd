import { isDeepStrictEqual } from 'node:util';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { ProfileFile } from '../profile-file.ts';
import type { Finding } from './finding.ts';
import type { ProbeResult } from './probe.ts';

/** The report of a run: the measured profile, the findings, and the comparison with the expected profile. */
export interface ProbeReport {
  readonly profile: ProfileFile;
  readonly findings: readonly Finding[];
  readonly differences?: readonly Difference[];
  /** The expected settings that were not measured. */
  readonly unseen?: readonly string[];
}

interface Difference {
  readonly setting: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** Creates the report; compares it with the expected profile if there is one. */
export function toReport(findings: readonly Finding[], expected: ProfileFile | undefined): ProbeReport {
  const profile = Object.fromEntries(
    findings.flatMap((finding) => (finding.state === 'found' ? [[finding.setting, finding.value]] : [])),
  );
  if (expected === undefined) return { profile, findings };
  const open = findings.filter(({ setting, state }) => state === 'unknown' && setting in expected);
  const unseen = open.map(({ setting }) => setting);
  return { profile, findings, differences: findDifferences(findings, expected), unseen };
}

/** Returns the expected settings whose measured value differs. */
function findDifferences(findings: readonly Finding[], expected: ProfileFile): Difference[] {
  return findings.flatMap((finding) => {
    const { setting, state } = finding;
    if (!(setting in expected) || state === 'unknown') return [];
    const found = state === 'found' ? finding.value : finding.evidence;
    const isSame = state === 'found' && isDeepStrictEqual(sort(found), sort(expected[setting]));
    return isSame ? [] : [{ setting, expected: expected[setting], found }];
  });
}

/** Sorts a list: `events` is a set, so the order in a file does not matter. */
function sort(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String).toSorted() : value;
}

/** Formats a finding as one line. */
export function toLine(finding: Finding): string {
  const { setting, state, evidence } = finding;
  const value = finding.state === 'found' ? formatSetting(finding.value) : '-';
  const among =
    finding.state === 'unknown' && finding.among ? `${finding.among.map(formatSetting).join(' or ')}; ` : '';
  return `${state.padEnd(7)}  ${setting.padEnd(16)}  ${value.padEnd(16)}  ${among}${evidence}`;
}

function formatSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats the counts and the comparison of a report. */
export function summarize({ findings, differences, unseen = [] }: ProbeReport): string[] {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const counts = `${findings.length} settings: ${count('found')} found, ${count('other')} other, ${count('unknown')} unknown`;
  if (differences === undefined) return [counts];
  const lines = [
    ...differences.map(
      ({ setting, expected, found }) =>
        `DIFFERS  ${setting}: expected ${formatSetting(expected)}, found ${formatSetting(found)}`,
    ),
    ...unseen.map((setting) => `UNKNOWN  ${setting}: expected, but not measured`),
  ];
  return [counts, ...(lines.length === 0 ? ['As expected.'] : lines)];
}

/**
 * Returns the exit code: 1 for a difference, 3 if the run is incomplete or an expected setting was not
 * measured.
 */
export function toExitCode(
  { differences = [], unseen = [] }: ProbeReport,
  { isComplete }: ProbeResult,
): ExitCode {
  if (differences.length > 0) return exitCodes.refused;
  return isComplete && unseen.length === 0 ? exitCodes.ok : exitCodes.unknown;
}
