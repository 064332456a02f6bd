import { docs } from '../generated/docs.ts';
import type { StepReport } from '../junit.ts';
import { quoteForShell } from '../output.ts';
import { type Cell, type Line, type Terminal, toRow, toStatus } from '../terminal.ts';
import { causes, type Verdict } from './judge.ts';
import type { ScenarioResult } from './runner.ts';
import { formatEntry } from './timeline.ts';

/** The results of a run. */
export interface RunReport {
  readonly seed: string;
  readonly results: readonly ScenarioResult[];
  /** The arguments of the command. */
  readonly argv: readonly string[];
  /** The error that has ended the run before all scenarios. */
  readonly problem: string | undefined;
  /** The number of requests that the log of the mock has dropped. */
  readonly dropped: number;
}

/** The name, the style and the result in JUnit of each verdict. */
export const shownVerdicts: Readonly<
  Record<Verdict, { readonly name: string; readonly style: string; readonly result: StepReport['status'] }>
> = {
  passed: { name: 'passed', style: 'ok', result: 'ok' },
  unjudged: { name: 'not judged', style: 'skipped', result: 'skipped' },
  person: { name: 'person', style: 'warning', result: 'skipped' },
  failed: { name: 'FAILED', style: 'failed', result: 'failed' },
};

/** Formats the line of a result. */
export function toResultLines(
  { scenario, verdict, sentence, duration_ms, isWaiting }: ScenarioResult,
  terminal: Terminal,
): Line[] {
  const waiting = { name: 'waiting', style: 'pending' };
  const { name, style } = isWaiting ? waiting : shownVerdicts[verdict];
  const cells: Cell[] = [
    [toStatus(style, terminal, name), terminal.isTTY ? 12 : 10],
    [scenario.name, 24],
    [`${(duration_ms / 1_000).toFixed(1)} s`.padStart(6), 6],
  ];
  return toRow(cells, isWaiting ? 'for a lease, and is judged at the end' : sentence, terminal);
}

/** Failures with one cause. */
export interface FailureGroup {
  readonly advice: string;
  readonly failed: readonly ScenarioResult[];
}

/** Groups the failures by their cause, the one with the most failures first. */
export function groupFailures(results: readonly ScenarioResult[]): readonly FailureGroup[] {
  const all = results.filter(({ verdict }) => verdict === 'failed');
  return Object.entries(causes)
    .map(([name, advice]) => ({ advice, failed: all.filter(({ cause }) => cause === name) }))
    .filter(({ failed }) => failed.length > 0)
    .toSorted((one, other) => other.failed.length - one.failed.length);
}

/** The section of the guide about all causes. */
export const guide: string = `${docs.chaos}#what-to-change`;

/** Returns the command that runs one scenario again, with the same references. */
export function toReplay({ argv, seed }: RunReport, name: string): string {
  const end = argv.indexOf('--');
  // The last value of an option counts.
  const words = [...argv.slice(0, end), '--seed', seed, '--only', name, ...argv.slice(end)];
  return `service-cli ${words.map(quoteForShell).join(' ')}`;
}

/** Formats the failures: one group for each cause, with the timeline of its first failure. */
export function explainFailures(report: RunReport): string[] {
  return groupFailures(report.results).flatMap(({ advice, failed }) => {
    const [first, ...others] = failed as [ScenarioResult, ...ScenarioResult[]];
    return [
      '',
      `${failed.length} FAILED: ${advice}`,
      `  ${first.scenario.name}: ${first.scenario.happens} ${first.sentence}`,
      ...first.timeline.map((entry) => `    ${formatEntry(entry)}`),
      `  Again: ${toReplay(report, first.scenario.name)}`,
      ...(others.length === 0 ? [] : [`  Also: ${others.map(({ scenario }) => scenario.name).join(', ')}`]),
      `  docs: ${guide}`,
    ];
  });
}

/** Counts the verdicts in one line. */
export function summarize({ results, dropped }: RunReport): string {
  const count = (wanted: Verdict): number => results.filter(({ verdict }) => verdict === wanted).length;
  const parts = [
    `${count('failed')} failed`,
    `${count('person')} safe, but a person must decide`,
    `${count('unjudged')} not judged`,
  ];
  const lost = dropped === 0 ? '' : `; the timelines lack the oldest ${dropped} requests`;
  return `${results.length} scenarios: ${count('passed')} passed, ${parts.join(', ')}${lost}`;
}

/** Converts the results to the cases of a JUnit file. */
export function toCases({ results }: RunReport): StepReport[] {
  return results.map(({ scenario, verdict, sentence, duration_ms, timeline }) => ({
    name: scenario.name,
    status: shownVerdicts[verdict].result,
    detail: sentence,
    duration_ms,
    lines: timeline.map(formatEntry),
  }));
}

/** Converts the results to JSON. */
export function toDocument(report: RunReport): object {
  const { results, seed, problem, dropped } = report;
  return {
    ok: problem === undefined && results.every(({ verdict }) => verdict !== 'failed'),
    seed,
    ...(problem !== undefined && { problem }),
    dropped_requests: dropped,
    scenarios: results.map((result) => ({
      name: result.scenario.name,
      verdict: result.verdict,
      detail: result.sentence,
      cause: result.cause,
      reference: result.reference,
      duration_ms: Math.round(result.duration_ms),
      replay: toReplay(report, result.scenario.name),
      timeline: result.timeline.map(({ at, text, count = 1 }) => ({ at_ms: Math.round(at), text, count })),
    })),
  };
}
