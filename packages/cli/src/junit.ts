import { escapeControls } from './terminal.ts';

/**
 * The cause of a failed step. `service`: a wrong response. `unreachable`: nothing accepts connections, before the first
 * response. `network`: no response. `unknown`: a response that does not reveal the outcome, such as a 5xx or an unreadable body.
 */
export type FailureCause = 'service' | 'unreachable' | 'network' | 'unknown';

/** The result of one step; `cause` is set if it failed. */
export interface StepReport {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly duration_ms: number;
  readonly cause?: FailureCause;
  /** What happened, in lines. */
  readonly lines?: readonly string[];
}

/** Formats the steps as JUnit XML. A warning counts as a failure, and a failure without a clear outcome as an error. */
export function toJUnit(reports: readonly StepReport[], suite: string): string {
  const toVerdict = ({ status, cause }: StepReport): string => {
    if (status === 'ok' || status === 'skipped') return status;
    return cause === undefined || cause === 'service' ? 'failure' : 'error';
  };
  const count = (wanted: string): number => reports.filter((report) => toVerdict(report) === wanted).length;
  const total = reports.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const attributes = `tests="${reports.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const cases = reports.map((report) => {
    const { name, detail, duration_ms, lines = [] } = report;
    const verdict = toVerdict(report);
    const start = `  <testcase classname="${suite}" name="${escapeXml(name)}" time="${toSeconds(duration_ms)}"`;
    const content = [
      verdict === 'ok' ? '' : `<${verdict} message="${escapeXml(detail)}"/>`,
      lines.length === 0 ? '' : `<system-out>${lines.map(escapeXml).join('\n')}</system-out>`,
    ].join('');
    return content === '' ? `${start}/>` : `${start}>${content}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${suite}" ${attributes} time="${toSeconds(total)}">`,
    ...cases,
    '</testsuite>',
    '',
  ].join('\n');
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML and HTML. */
export function escapeXml(text: string): string {
  // XML 1.0 allows neither these two characters nor a lone surrogate, even as references.
  const valid = escapeControls(text).replaceAll(/[\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
  return valid.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
