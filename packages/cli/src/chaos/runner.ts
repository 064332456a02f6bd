import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { toMicro, writeMicro } from '@service/internal';
import type { ProfileChoice } from '@service/mock';
import { UsageError } from '../errors.ts';
import { docs } from '../generated/docs.ts';
import type { StepReport } from '../junit.ts';
import { type Cell, formatMoney, type Line, type Terminal, toRow, toStatus } from '../terminal.ts';
import { type Records, type RunContext, ScenarioRun } from './run.ts';
import { pages, RICH, type Scenario, scenarios } from './scenarios.ts';

/** The behavior of the service for a repeated idempotency key, which the document does not define. */
export type KeyBehavior = 'ignored' | 'replayed' | 'replayedAny' | 'conflict';

/** The scenarios to run, and the behaviors of the service for those of creates. */
export interface Plan {
  readonly only: readonly string[];
  readonly behaviors: readonly KeyBehavior[];
  readonly onResult: (result: ScenarioResult) => Promise<void>;
}

/** One run of a scenario with one behavior of the service. */
interface Attempt {
  readonly run: ScenarioRun;
  readonly behavior: KeyBehavior;
  readonly isAlive: boolean;
  /** The reason for a run that could not end. */
  readonly problem: string | undefined;
  readonly judgment: Judgment;
}

/** The runs of a scenario, one for each behavior of the service. */
interface Row {
  readonly scenario: Scenario;
  readonly duration_ms: number;
  attempts: readonly Attempt[];
}

/** Returns the scenarios that apply. The first one is always among them: it shows that the application uses the mock. */
function selectScenarios(
  { trigger, webhooks, ports }: RunContext,
  only: readonly string[],
): readonly Scenario[] {
  const unknown = only.find((name) => !scenarios.some((each) => each.name === name));
  if (unknown !== undefined) {
    const names = scenarios.map(({ name }) => name).join(', ');
    throw new UsageError(`--only: there is no scenario ${JSON.stringify(unknown)}. The scenarios: ${names}.`);
  }
  return scenarios.filter(
    ({ name, kind, needs }) =>
      (only.length === 0 || name === 'baseline' || only.includes(name)) &&
      (kind === 'webhook' ? webhooks : trigger) !== undefined &&
      (needs !== 'trigger' || trigger !== undefined) &&
      (needs !== 'instances' || ports.length > 1),
  );
}

/** Runs the scenarios one after the other, and judges all of them again at the end: a payment can be late. */
export async function runScenarios(context: RunContext, plan: Plan): Promise<ScenarioResult[]> {
  const { signal, service, clock } = context;
  const ended: Row[] = [];
  let number = 0;
  for (const scenario of selectScenarios(context, plan.only)) {
    const startedAt = clock.now();
    const attempts: Attempt[] = [];
    const isRepeated = scenario.kind === 'create' || scenario.repeatsTrigger === true;
    const behaviors = isRepeated ? plan.behaviors : plan.behaviors.slice(0, 1);
    for (const behavior of behaviors) {
      number += 1;
      await prepare(context, { ...context.profile, ...scenario.profile, idempotency: behavior });
      attempts.push(await runScenario(scenario, new ScenarioRun(context, number), behavior));
      if (signal.aborted) return ended.map(toResult);
    }
    const row = { scenario, attempts, duration_ms: clock.now() - startedAt };
    ended.push(row);
    await plan.onResult(toResult(row));
  }
  await service.waitUntil(() => false);
  for (const row of ended) {
    const before = toResult(row);
    row.attempts = await Promise.all(
      row.attempts.map(async (attempt) => {
        if (attempt.judgment.verdict === 'failed') return attempt;
        return { ...attempt, judgment: await judgeRun(row.scenario, attempt) };
      }),
    );
    const after = toResult(row);
    if (after.sentence !== before.sentence) await plan.onResult(after);
  }
  return ended.map(toResult);
}

/** Prepares the mock and the application for a scenario. Keeps all payments, requests and deliveries. */
async function prepare({ service, application }: RunContext, profile: ProfileChoice): Promise<void> {
  const { sandbox } = service.mock;
  sandbox.faults.clear();
  sandbox.profile.set(profile);
  await service.setBalances(RICH);
  Object.assign(service.route, { isHeld: true, change: undefined, onAcknowledged: undefined });
  if (await application.isAlive()) return;
  await application.kill();
  await application.start();
}

async function runScenario(scenario: Scenario, run: ScenarioRun, behavior: KeyBehavior): Promise<Attempt> {
  const { context } = run;
  let problem: string | undefined;
  try {
    await scenario.act(run);
    await run.untilFinal();
    if (context.webhooks !== undefined) await run.deliver();
  } catch (error) {
    // The first scenario shows that the application can be started and triggered.
    if (!(error instanceof UsageError) || context.isSynchronous === undefined) throw error;
    problem = error.message;
  }
  const isAlive = await context.application.isAlive();
  const attempt = { run, behavior, isAlive, problem };
  const judgment = await judgeRun(scenario, attempt);
  run.endedAt = context.clock.now();
  return { ...attempt, judgment };
}

async function judgeRun(
  scenario: Scenario,
  { run, isAlive, problem }: Omit<Attempt, 'judgment'>,
): Promise<Judgment> {
  if (problem !== undefined) return { verdict: 'failed', sentence: problem };
  const records = await run.read();
  const handled = await run.countHandled(expectHandled(records), records);
  return judge(scenario, { run, records, handled, isAlive });
}

const rank = ({ judgment }: Attempt): number => verdicts.indexOf(judgment.verdict);

/** Returns the worst run of a scenario. */
function toResult({ scenario, attempts, duration_ms }: Row): ScenarioResult {
  const worst = attempts.reduce((one, other) => (rank(other) > rank(one) ? other : one));
  const needsReplay = attempts.every(
    ({ behavior, problem, judgment: { verdict } }) =>
      problem === undefined && (verdict === 'failed') === (behavior === 'ignored'),
  );
  const isOnlyWithReplay = needsReplay && attempts.length > 1;
  const { sentence, ...judgment } = worst.judgment;
  return {
    ...judgment,
    scenario,
    run: worst.run,
    duration_ms,
    sentence: isOnlyWithReplay ? `${sentence}; correct only if the service replays keys` : sentence,
  };
}

/** Finds free ports of this machine. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}

/** `person`: safe, but a person must decide. `unjudged`: nothing shows whether the application is right. */
type Verdict = (typeof verdicts)[number];

/** A verdict and its reason in one sentence. */
interface Judgment {
  readonly verdict: Verdict;
  readonly sentence: string;
  /** Whether the creates cannot be told apart, so that the run proves nothing. */
  readonly isUnclear?: boolean;
}

/** The records of a scenario: its run, the ledger, the delivery log, and the count of `--handled`. */
interface Evidence {
  readonly run: ScenarioRun;
  readonly records: Records;
  /** Undefined without `--handled`. */
  readonly handled: number | undefined;
  readonly isAlive: boolean;
}

/** The verdicts from the best to the worst. */
const verdicts = ['passed', 'unjudged', 'person', 'failed'] as const;

/** Returns how often the completion must take effect. */
function expectHandled({ payments }: Records): number {
  return payments.some(({ status }) => status === 'completed') ? 1 : 0;
}

/** Judges a scenario by the ledger and the delivery log. The first rule that applies decides. */
function judge(scenario: Scenario, evidence: Evidence): Judgment {
  const { run, records, handled } = evidence;
  const failure = findFailure(scenario, evidence);
  if (failure !== undefined) return { verdict: 'failed', sentence: failure };
  if (records.isAmbiguous) {
    const sentence = `cannot tell which creates belong to ${run.reference}: none has it in its purpose or idempotency key, and the trigger has no {amount}`;
    return { verdict: 'unjudged', sentence, isUnclear: true };
  }
  if (scenario.expects === 'unknown' && records.payments.every(({ status }) => status === 'failed'))
    return { verdict: 'person', sentence: `safe, needs a person: ${run.reference} has no payment` };
  if (scenario.isJudgedByHandled === true && handled === undefined)
    return { verdict: 'unjudged', sentence: 'not judged: needs --handled' };
  return { verdict: 'passed', sentence: '' };
}

function findFailure(
  { expects }: Scenario,
  { run, records, handled, isAlive }: Evidence,
): string | undefined {
  const { reference, forged, unacknowledged } = run;
  const paid = records.payments.filter(({ status }) => status !== 'failed');
  if (paid.length > 1) {
    const times = paid.length === 2 ? 'twice' : `${paid.length} times`;
    return `paid ${times}: ${sumUp(paid)} left the wallet for ${reference}`;
  }
  const accepted = forged.find(({ status = 0 }) => status >= 200 && status < 300);
  if (accepted !== undefined) return `accepted a forged event with ${accepted.what}`;
  if (!isAlive) return 'the application ended, or accepts no connections any more';
  const refused = run.context.webhooks !== undefined ? findRefused(run, records) : undefined;
  if (refused !== undefined) return refused;
  const [lost] = unacknowledged;
  if (lost !== undefined) return `never acknowledged the genuine event ${lost}`;
  const expected = expectHandled(records);
  if (handled !== undefined && handled !== expected)
    return `the completion of ${reference} took effect ${toTimes(handled)} instead of ${toTimes(expected)}`;
  const isMissing = paid.length === 0 && expects === 'one' && !records.isAmbiguous;
  return isMissing ? `never paid: ${reference} has no payment` : undefined;
}

function findRefused({ reference }: ScenarioRun, { deliveries }: Records): string | undefined {
  const refused = deliveries.find(({ state }) => state !== 'acknowledged');
  const result = refused?.attempts.at(-1)?.result;
  if (refused === undefined || result === undefined) return undefined;
  const response = result.outcome === 'failed' ? `no response (${result.reason})` : result.httpStatus;
  return `never acknowledged the genuine ${refused.event} of ${reference}; the last response: ${response}`;
}

function sumUp(paid: Records['payments']): string {
  const sum = paid.reduce((total, { send_amount }) => total + (toMicro(send_amount) ?? 0n), 0n);
  return formatMoney(writeMicro(sum), paid[0]?.from_currency ?? '');
}

function toTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

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
