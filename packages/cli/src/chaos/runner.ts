import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ProfileChoice } from '@service/mock';
import { UsageError } from '../errors.ts';
import { expectHandled, judge, type Judgment, verdicts } from './judge.ts';
import type { ScenarioResult } from './report.ts';
import { type RunContext, ScenarioRun } from './run.ts';
import { RICH, type Scenario, scenarios } from './scenarios.ts';

/** The behavior of the service for a repeated idempotency key, which the document does not define. */
export type KeyBehavior = 'ignored' | 'replayed' | 'replayedAny' | 'conflict';

/** The scenarios to run, and the behaviors of the service for those of creates. */
export interface Plan {
  readonly only: readonly string[];
  readonly behaviors: readonly KeyBehavior[];
  /** The profile that each scenario starts with. */
  readonly profile: ProfileChoice;
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
      await prepare(context, { ...plan.profile, ...scenario.profile, idempotency: behavior });
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
    row.attempts = await Promise.all(row.attempts.map((attempt) => judgeAgain(row.scenario, attempt)));
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

/** Judges a run by the state at the end of all scenarios. */
async function judgeAgain(scenario: Scenario, attempt: Attempt): Promise<Attempt> {
  if (attempt.judgment.verdict === 'failed') return attempt;
  return { ...attempt, judgment: await judgeRun(scenario, attempt) };
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
