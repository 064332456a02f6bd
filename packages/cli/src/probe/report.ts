import type { JsonObject } from '@service/internal';
import { compareProfile, type Finding, type ProbeResult, type ProfileDifference } from '@service/probe';
import { type ExitCode, exitCodes } from '../session.ts';

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

/** Formats a finding as one line. */
export function toLine(finding: Finding): string {
  const { setting, state, evidence } = toCliFinding(finding);
  const value = finding.state === 'found' ? formatSetting(finding.value) : '-';
  const among =
    finding.state === 'unknown' && finding.among ? `${finding.among.map(formatSetting).join(' or ')}; ` : '';
  return `${state.padEnd(7)}  ${setting.padEnd(16)}  ${value.padEnd(16)}  ${among}${evidence}`;
}

function formatSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats the counts and the comparison of a report. */
export function summarize({ findings, differences, unmeasured = [] }: ProbeReport): string[] {
  const count = (state: Finding['state']): number =>
    findings.filter((finding) => finding.state === state).length;
  const counts = `${findings.length} settings: ${count('found')} found, ${count('other')} other, ${count('unknown')} unknown`;
  if (differences === undefined) return [counts];
  const lines = [
    ...differences.map(
      ({ setting, expected, found }) =>
        `DIFFERS  ${setting}: expected ${formatSetting(expected)}, found ${formatSetting(found)}`,
    ),
    ...unmeasured.map((setting) => `UNKNOWN  ${setting}: expected, but not measured`),
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
  'burst: N': '--burst N',
  failing: '--failing',
  foreignPayment: '--foreign-payment',
  from: '--from',
  'payments: false': '--no-payments',
  returning: '--returning',
  timeout: '--timeout',
  'webhookTimeout: 360_000': '--webhook-timeout 6m',
  webhooks: '--sandbox or --listen',
};

/** Replaces the options in the evidence of `@service/probe` with command line options. */
function toProbeTerms(evidence: string): string {
  return evidence.replaceAll(/`([^`]+)`/g, (text, option: string) => probeTerms[option] ?? text);
}
