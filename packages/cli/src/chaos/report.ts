import { docs } from '../generated/docs.ts';
import type { StepReport } from '../junit.ts';
import { type Cell, type Line, type Terminal, toRow, toStatus } from '../terminal.ts';
import type { Judgment, Verdict } from './judge.ts';
import type { ScenarioRun } from './run.ts';
import { pages, type Scenario } from './scenarios.ts';

/** The result of a scenario, over all behaviors of the service that it ran with. */
export interface ScenarioResult extends Judgment {
  readonly scenario: Scenario;
  /** The run with the worse verdict. */
  readonly run: ScenarioRun;
  readonly duration_ms: number;
}

/** The name, the style and the result in JUnit of each verdict. */
const shown = {
  passed: { name: 'passed', style: 'ok', result: 'ok' },
  unjudged: { name: 'not judged', style: 'skipped', result: 'skipped' },
  person: { name: 'person', style: 'warning', result: 'ok' },
  failed: { name: 'FAILED', style: 'failed', result: 'failed' },
} as const;

/** Formats the line of a result. */
export function toResultLines(
  { scenario, verdict, sentence, duration_ms }: ScenarioResult,
  terminal: Terminal,
): Line[] {
  const { name, style } = shown[verdict];
  const cells: Cell[] = [
    [toStatus(style, terminal, name), terminal.isTTY ? 12 : 10],
    [scenario.name, 24],
    [`${(duration_ms / 1_000).toFixed(1)} s`.padStart(6), 6],
  ];
  return toRow(cells, sentence, terminal);
}

/** Formats the explanation of a failure: consequence, timeline, what to change, and the page. */
export function explainFailure({ scenario, sentence, run }: ScenarioResult): string[] {
  const { name, happens, page } = scenario;
  const { consequence, advice } = pages[page];
  return [
    '',
    `${name}: ${sentence}`,
    `  ${happens} ${consequence}`,
    ...writeTimeline(run),
    `  What to change: ${advice}`,
    `  docs: ${docs.chaos}#${page}`,
  ];
}

/** Writes the triggers, requests and webhooks of a run in the order of their times. */
function writeTimeline(run: ScenarioRun): string[] {
  const { service } = run.context;
  // The clock of the mock can differ from that of the run by some milliseconds.
  const difference = run.startedOn - run.startedAt.getTime();
  const requests = run.creates().map(({ at, fault, response, effects }) => {
    const answer = response === null || response === 'connection_lost' ? 'no response' : response.status;
    const because = fault === null ? '' : ` (${fault.kind})`;
    const payment = effects.payment_id === null ? 'no payment' : `payment ${effects.payment_id}`;
    return { at: Date.parse(at) + difference, text: `create: ${answer}${because}, ${payment}` };
  });
  const webhooks = service.attempts.map(({ at, event, forgery, status }) => ({
    at,
    text: `webhook ${event}${forgery === undefined ? '' : ` with ${forgery}`}: ${status ?? 'no response'}`,
  }));
  return [...run.timeline, ...requests, ...webhooks]
    .filter(({ at }) => at >= run.startedOn && at <= run.endedAt)
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => `  +${((at - run.startedOn) / 1_000).toFixed(2)} s  ${text}`);
}

/** Counts the verdicts in one line. */
export function summarize(results: readonly ScenarioResult[]): string {
  const count = (wanted: Verdict): number => results.filter(({ verdict }) => verdict === wanted).length;
  const parts = [
    `${count('failed')} failed`,
    `${count('person')} safe, but a person must decide`,
    `${count('unjudged')} not judged`,
  ];
  return `${results.length} scenarios: ${count('passed')} passed, ${parts.join(', ')}`;
}

/** Converts the results to the cases of a JUnit file. */
export function toCases(results: readonly ScenarioResult[]): StepReport[] {
  return results.map(({ scenario, verdict, sentence, duration_ms }) => ({
    name: scenario.name,
    status: shown[verdict].result,
    detail: sentence,
    duration_ms,
  }));
}

/** Converts the results to JSON. */
export function toDocument(results: readonly ScenarioResult[], seed: string): object {
  return {
    ok: results.every(({ verdict }) => verdict !== 'failed'),
    seed,
    scenarios: results.map(({ scenario, verdict, sentence, duration_ms, run }) => ({
      name: scenario.name,
      verdict,
      detail: sentence,
      reference: run.reference,
      duration_ms: Math.round(duration_ms),
      docs: `${docs.chaos}#${scenario.page}`,
    })),
  };
}
