import type { JsonObject } from '@service/internal';
import { compareProfile, type Finding, type ProbeResult, type ProfileDifference } from '@service/probe';
import { type ExitCode, exitCodes } from '../session.ts';
import { type Cell, toRow } from '../table.ts';
import { type Line, type Terminal, toStatus } from '../terminal.ts';

/** The report of a run: the measured profile, the findings, and the comparison with the expected profile. */
export interface ProbeReport extends Pick<ProbeResult, 'profile' | 'findings'> {
  readonly differences?: readonly ProfileDifference[];
  /** The expected settings that were not measured. */
  readonly unmeasured?: readonly string[];
}

/** Creates the report; compares it with the expected profile if there is one. */
export function toReport(result: ProbeResult, expected: JsonObject | undefined): ProbeReport {
  const { profile } = result;
  const findings = result.findings.map(toCliFinding);
  if (expected === undefined) return { profile, findings };
  const { differences, unmeasured } = compareProfile(findings, expected);
  return { profile, findings, differences, unmeasured };
}

/** Replaces the options in the evidence of a finding with those of the command line. */
function toCliFinding(finding: Finding): Finding {
  return { ...finding, evidence: toProbeTerms(finding.evidence) };
}

/** The heading of the findings, on a terminal. */
export const heading: Line = [
  { text: 'state      setting           value             evidence', style: 'strong' },
];

const VALUE_WIDTH = 16;

/** Formats a finding as a row: one line, and more on a narrow terminal. */
export function toFindingLines(finding: Finding, terminal: Terminal): Line[] {
  const { setting, state, evidence } = toCliFinding(finding);
  const value = finding.state === 'found' ? toColumn(formatSetting(finding.value)) : '-';
  const among =
    finding.state === 'unknown' && finding.among
      ? `possible: ${finding.among.map(formatSetting).join(' or ')}; `
      : '';
  const cells: Cell[] = [
    [toStatus(state, terminal), terminal.isTTY ? 9 : 7],
    [setting, 16],
    [value, VALUE_WIDTH],
  ];
  return toRow(cells, `${among}${evidence}`, terminal);
}

function formatSetting(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Truncates a structured value to its column. `--save` and `--json` contain the whole value. */
function toColumn(text: string): string {
  const isLong = /^[[{]/.test(text) && text.length > VALUE_WIDTH;
  return isLong ? `${text.slice(0, VALUE_WIDTH - 1)}…` : text;
}

/** Formats the counts and the comparison of a report. */
export function summarize({ findings, differences, unmeasured = [] }: ProbeReport): Line[] {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const counts = `${findings.length} settings: ${count('found')} found, ${count('other')} other, ${count('unknown')} unknown`;
  const legend = [
    ...(count('other') > 0 ? ['other: no value of the setting describes the service.'] : []),
    ...(count('unknown') > 0 ? ['unknown: not measured, for the reason shown.'] : []),
  ];
  if (differences === undefined) return [counts, ...legend];
  const lines = [
    ...differences
      .flatMap(
        ({ setting, expected, found, details }) =>
          details?.map((detail) => `${setting}: ${detail}`) ??
          `${setting}: expected ${formatSetting(expected)}, found ${formatSetting(found)}`,
      )
      .map((text): Line => [{ text: 'DIFFERS', style: 'bad' }, `  ${text}`]),
    ...unmeasured.map((setting): Line => [
      { text: 'UNKNOWN', style: 'waiting' },
      `  ${setting}: expected, but not measured`,
    ]),
  ];
  return [counts, ...(lines.length === 0 ? ['As expected.'] : lines)];
}

/**
 * Returns the exit code: 1 for a difference, 3 if the run is incomplete or an expected setting was not
 * measured.
 */
export function toExitCode(
  { differences = [], unmeasured = [] }: ProbeReport,
  { isComplete }: ProbeResult,
): ExitCode {
  if (differences.length > 0) return exitCodes.refused;
  return isComplete && unmeasured.length === 0 ? exitCodes.ok : exitCodes.unknown;
}

const probeTerms: Readonly<Record<string, string>> = {
  amount: '--amount',
  burst: '--burst',
  'burst: N': '--burst N',
  failing: '--failing',
  foreignPayment: '--foreign-payment',
  from: '--from',
  'payments: false': '--no-payments',
  returning: '--returning',
  timeout: '--timeout',
  unavailable: '--unavailable',
  'webhookTimeout: 360_000': '--webhook-timeout 6m',
  webhookTimeout: '--webhook-timeout',
  webhooks: '--sandbox or --listen',
};

/** Replaces the options in the evidence of `@service/probe` with command line options. */
function toProbeTerms(evidence: string): string {
  return evidence.replaceAll(/`([^`]+)`/g, (text, option: string) => probeTerms[option] ?? text);
}
