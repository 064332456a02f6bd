import { isDeepStrictEqual } from 'node:util';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import type { ProfileFile } from '../profile-file.ts';
import type { Finding } from './finding.ts';
import type { Probed } from './probe.ts';

/** Holds what a probe came to: the settings that were found, what shows them, and how they differ from what was expected. */
export type Report = {
  readonly profile: ProfileFile;
  readonly findings: readonly Finding[];
  readonly differences?: readonly Difference[];
  /** Names the settings that were expected to be some way, and could not be told. */
  readonly unseen?: readonly string[];
};

type Difference = { readonly setting: string; readonly expected: unknown; readonly found: unknown };

/** Reports findings, beside the settings that were expected where there are any. */
export function toReport(findings: readonly Finding[], expected: ProfileFile | undefined): Report {
  const profile = Object.fromEntries(
    findings.flatMap((finding) => (finding.state === 'found' ? [[finding.setting, finding.value]] : [])),
  );
  if (expected === undefined) return { profile, findings };
  const open = findings.filter(({ setting, state }) => state === 'unknown' && setting in expected);
  const unseen = open.map(({ setting }) => setting);
  return { profile, findings, differences: findDifferences(findings, expected), unseen };
}

/** Lists the settings that are otherwise than expected. */
function findDifferences(findings: readonly Finding[], expected: ProfileFile): Difference[] {
  return findings.flatMap((finding) => {
    const { setting, state } = finding;
    if (!(setting in expected) || state === 'unknown') return [];
    const found = state === 'found' ? finding.value : finding.evidence;
    const isSame = state === 'found' && isDeepStrictEqual(sort(found), sort(expected[setting]));
    return isSame ? [] : [{ setting, expected: expected[setting], found }];
  });
}

/** Sorts a list: events are a set, in whatever order a file has them. */
function sort(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String).toSorted() : value;
}

/** Writes a finding as a line for a person. */
export function toLine(finding: Finding): string {
  const { setting, state, evidence } = finding;
  const value = finding.state === 'found' ? show(finding.value) : '-';
  const among =
    finding.state === 'unknown' && finding.among ? `${finding.among.map(show).join(' or ')}; ` : '';
  return `${state.padEnd(7)}  ${setting.padEnd(16)}  ${value.padEnd(16)}  ${among}${evidence}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Sums a report up for a person. */
export function summarize({ findings, differences, unseen = [] }: Report): string[] {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const counts = `${findings.length} settings: ${count('found')} found, ${count('other')} other, ${count('unknown')} unknown`;
  if (differences === undefined) return [counts];
  const lines = [
    ...differences.map(
      ({ setting, expected, found }) =>
        `DIFFERS  ${setting}: expected ${show(expected)}, found ${show(found)}`,
    ),
    ...unseen.map((setting) => `UNSEEN   ${setting}: expected, and could not be told`),
  ];
  return [counts, ...(lines.length === 0 ? ['As expected.'] : lines)];
}

/** Says how the run ends: a difference is certain, what was not seen is not known to be as before. */
export function judge({ differences = [], unseen = [] }: Report, { isComplete }: Probed): ExitCode {
  if (differences.length > 0) return exitCodes.refused;
  return isComplete && unseen.length === 0 ? exitCodes.ok : exitCodes.unknown;
}
