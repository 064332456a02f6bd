import type { JsonObject } from '@service/internal';
import { createMock, defaultProfile, type ProfileChoice } from '@service/mock';
import {
  compareProfile,
  type Finding,
  type ProbeResult,
  type ProfileDifference,
  type ProfileSetting,
} from '@service/probe';
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

/** Formats each finding as a row: one line, and more on a narrow terminal. */
export function toTable({ findings }: ProbeReport, terminal: Terminal): Line[] {
  const rows = findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    const value = 'value' in finding ? formatSetting(finding.value) : '-';
    const among =
      state === 'unknown' && finding.among
        ? `possible: ${finding.among.map(formatSetting).join(' or ')}; `
        : '';
    const missing = state === 'partly' ? `not explained: ${finding.missing.join(', ')}; ` : '';
    // The value of a template has several lines; `--save` and `--json` contain it.
    const column = /^[[{]/.test(value) && value.length > VALUE_WIDTH ? 'template' : value;
    const cells: Cell[] = [
      [toStatus(state, terminal), terminal.isTTY ? 9 : 7],
      [setting, 16],
      [column, VALUE_WIDTH],
    ];
    return toRow(cells, `${missing}${among}${evidence}`, terminal);
  });
  const heading: Line = [
    { text: 'state      setting           value             evidence', style: 'strong' },
  ];
  return [...(terminal.isTTY ? [heading] : []), ...rows, ''];
}

const VALUE_WIDTH = 16;

function formatSetting(value: unknown): string {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the mock does by default for each setting that is not explained. */
const instead: { readonly [Name in ProfileSetting]?: string } = {
  fees: 'the mock charges 0.5 %',
  transactionShape: 'the mock lists its own rows',
  pagination: 'the mock sends its own pages',
  debitAt: 'the mock debits the wallet with the create',
  refund: 'the mock returns the whole amount of a failed payment',
  errorShape: 'the mock sends the errors of the document',
  events: 'the mock sends an event for each status',
};

const names = (some: readonly Finding[]): string => some.map(({ setting }) => setting).join(', ') || 'none';

/** Returns whether a mock with a profile behaves as one without. */
function isDefault(profile: ProfileChoice): boolean {
  const { sandbox } = createMock({ profile });
  return JSON.stringify(sandbox.profile.get()) === JSON.stringify(defaultProfile);
}

/** Formats what differs from the document, what is not explained, what the mock plays instead, and the comparison. */
export function summarize({ findings, differences, unmeasured = [] }: ProbeReport): Line[] {
  const of = (state: Finding['state']): readonly Finding[] =>
    findings.filter((finding) => finding.state === state);
  const [found, partly, unknown] = [of('found'), of('partly'), of('unknown')];
  const differs = findings.filter(
    (finding) => 'value' in finding && !isDefault({ [finding.setting]: finding.value }),
  );
  const played = findings.flatMap((finding) => {
    const text = 'value' in finding ? undefined : instead[finding.setting];
    return text === undefined ? [] : [`${finding.setting}: not explained, ${text}.`];
  });
  const lines = [
    `${findings.length} settings: ${found.length} found, ${partly.length} partly, ${unknown.length} unknown`,
    `Differs from the document: ${names(differs)}.`,
    `Only partly explained: ${names(partly)}.`,
    `Unknown: ${names(unknown)}.`,
    ...played.slice(0, MAX_PLAYED),
    'Pass --verbose for each setting with its evidence, and how to find out what is unknown.',
  ];
  if (differences === undefined) return lines;
  const compared = [
    ...differences
      .flatMap(
        ({ setting, expected, found: now, details }) =>
          details?.map((detail) => `${setting}: ${detail}`) ??
          `${setting}: expected ${formatSetting(expected)}, found ${formatSetting(now)}`,
      )
      .map((text): Line => [{ text: 'DIFFERS', style: 'bad' }, `  ${text}`]),
    ...unmeasured.map((setting): Line => [
      { text: 'UNKNOWN', style: 'waiting' },
      `  ${setting}: expected, but not measured`,
    ]),
  ];
  return [...lines, ...(compared.length === 0 ? ['As expected.'] : compared)];
}

/** The most lines about what the mock plays instead: the whole summary has ten lines. */
const MAX_PLAYED = 5;

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
