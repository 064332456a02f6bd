import { escapeControls } from '../output.ts';
import type { StepReport } from './smoke.ts';

/** The name of the test suite. */
const SUITE = 'service-cli smoke';

/** Formats the steps as JUnit XML. A warning counts as a failure, and a failure without a clear outcome as an error. */
export function toJUnit(reports: readonly StepReport[]): string {
  const count = (wanted: Verdict): number => reports.filter((report) => toVerdict(report) === wanted).length;
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const attributes = `tests="${reports.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const cases = reports.map(toTestCase);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${SUITE}" ${attributes} time="${toSeconds(total)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}

/** Formats the failed steps as annotations of GitHub Actions. */
export function toAnnotations(reports: readonly StepReport[]): string[] {
  return reports.flatMap(({ name, status, detail }) => {
    if (status !== 'failed' && status !== 'warning') return [];
    const level = status === 'failed' ? 'error' : 'warning';
    return [`::${level} title=${escapeProperty(`${SUITE}: ${name}`)}::${escapeData(detail)}`];
  });
}

type Verdict = 'passed' | 'skipped' | 'failure' | 'error';

function toVerdict({ status, blame }: StepReport): Verdict {
  if (status === 'ok') return 'passed';
  if (status === 'skipped') return 'skipped';
  return blame === undefined || blame === 'service' ? 'failure' : 'error';
}

function toTestCase(report: StepReport): string {
  const { name, detail, duration_ms } = report;
  const verdict = toVerdict(report);
  const start = `  <testcase classname="${SUITE}" name="${escapeXml(name)}" time="${toSeconds(duration_ms)}"`;
  return verdict === 'passed'
    ? `${start}/>`
    : `${start}><${verdict} message="${escapeXml(detail)}"/></testcase>`;
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

function escapeXml(text: string): string {
  return escapeControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
