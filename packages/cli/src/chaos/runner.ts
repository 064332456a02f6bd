import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { UsageError } from '../errors.ts';
import type { Progress } from '../output.ts';
import { type Cause, type Judgment, judge, listExpected, verdicts } from './judge.ts';
import { type RunContext, ScenarioRun, type TimelineEntry } from './run.ts';
import { RICH, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import type { ChaosOptions } from './service.ts';
import { readTimeline } from './timeline.ts';

/** The result of a scenario, over all behaviors of the service that it ran with. */
export interface ScenarioResult extends Judgment {
  readonly scenario: Scenario;
  readonly reference: string;
  readonly duration_ms: number;
  readonly timeline: readonly TimelineEntry[];
  /** The last output of the application. */
  readonly output: string;
  /** Whether it is judged again at the end, after a lease. */
  readonly isWaiting: boolean;
}

type OnResult = (result: ScenarioResult) => Promise<void>;

/** Time after the end of a lease, for the clocks of its store, in milliseconds. */
const LEASE_MARGIN = 1_000;
/** Maximum number of orders of one run of a scenario, and of its runs. */
const MAX_ORDERS = 5;
const MAX_RUNS = 4;

/** Returns the scenarios that apply. The first one is always among them: it shows that the application uses the mock. */
export function selectScenarios(
  options: ChaosOptions & Partial<Pick<RunContext, 'isSynchronous'>>,
): readonly Scenario[] {
  const { trigger = '', webhooks, instances, kill, only = [], isSynchronous } = options;
  const unknown = only.find((name) => !scenarios.some((each) => each.name === name));
  if (unknown !== undefined) {
    const names = scenarios.map(({ name }) => name).join(', ');
    throw new UsageError(`--only: there is no scenario ${JSON.stringify(unknown)}. The scenarios: ${names}.`);
  }
  const available = {
    trigger: trigger !== '',
    amount: trigger.includes('{amount}'),
    instances: instances > 1,
    // An application that pays before it responds has no time in which a job can be lost.
    queue: isSynchronous !== true,
    kill: kill !== undefined,
  };
  return scenarios.filter(
    ({ name, kind, needs = [] }) =>
      (only.length === 0 || name === 'baseline' || only.includes(name)) &&
      (kind === 'webhook' ? webhooks !== undefined : available.trigger) &&
      needs.every((each) => available[each]),
  );
}

/** Runs the scenarios one after the other, and judges all of them again at the end: a payment can be late. */
export class Runner {
  readonly #context: RunContext;
  /** The runs of each scenario, one for each behavior of the service. */
  readonly #ended: (readonly ScenarioRun[])[] = [];
  /** The scenario that runs. */
  progress: Progress = { text: 'The application starts.' };

  constructor(context: RunContext) {
    this.#context = context;
  }

  get #selected(): readonly Scenario[] {
    return selectScenarios(this.#context);
  }

  /**
   * Starts the application, and runs all scenarios.
   *
   * @param onResult Called with each result, and again with one that a late payment has changed.
   * @throws {UsageError} when the application cannot be started and triggered at all.
   */
  async run(onResult: OnResult): Promise<void> {
    const { signal, service, behaviors, application, kill } = this.#context;
    await application.start();
    if (kill !== undefined) application.findNamed(kill);
    for (let done = 0; done < this.#selected.length; done += 1) {
      const scenario = this.#selected[done] as Scenario;
      const text = `${scenario.name}: ${scenario.happens}`;
      this.progress = { text, done, total: this.#selected.length };
      const runs: ScenarioRun[] = [];
      const isRepeated = scenario.repeatsTrigger ?? scenario.kind === 'create';
      for (const behavior of isRepeated ? behaviors : behaviors.slice(0, 1)) {
        const run = this.#createRun(scenario, behavior, runs.length);
        await runScenario(run);
        runs.push(run);
        if (signal.aborted) return;
      }
      this.#ended.push(runs);
      await onResult({ ...toResult(runs), isWaiting: runs.some(isLeased) });
    }
    await service.waitUntil(() => false);
    await this.#continueLeased();
    for (const runs of this.#ended) await this.#judgeAgain(runs, onResult);
  }

  /** Waits for the leases of payments with an unknown outcome, and triggers those again. */
  async #continueLeased(): Promise<void> {
    const { clock, signal, service, application } = this.#context;
    const leased = this.#ended.flat().filter(isLeased);
    if (leased.length === 0) return;
    const limit = Math.max(0, ...leased.map(({ leasedUntil = 0 }) => leasedUntil - clock.now()));
    this.progress = { text: `${leased.length} payments wait for their leases.`, limit };
    await clock.sleep(limit, signal);
    for (const run of leased) {
      if (signal.aborted) return;
      await prepare(run, {});
      for (const order of run.orders) await run.trigger(0, order);
      if (run.scenario.isNeverDelivered !== true) await run.deliver();
    }
    await application.ensureAlive();
    await service.waitUntil(() => false);
  }

  /** Judges a scenario again, unless nothing can change: what was paid twice stays paid twice. */
  async #judgeAgain(runs: readonly ScenarioRun[], onResult: OnResult): Promise<void> {
    const { application, signal } = this.#context;
    if (signal.aborted) return;
    const before = toResult(runs);
    await application.ensureAlive();
    const open = runs.filter(({ judgment }) => judgment.verdict !== 'failed' || judgment.isOpen === true);
    await Promise.all(open.map(deliverAndJudge));
    const after = toResult(runs);
    if (runs.some(isLeased) || after.sentence !== before.sentence || after.verdict !== before.verdict)
      await onResult(after);
  }

  /** Returns a result for each selected scenario. `reason` is that of the ones that did not run. */
  results(reason: string): readonly ScenarioResult[] {
    const missing = this.#selected.slice(this.#ended.length).map((scenario) => {
      const run = this.#createRun(scenario, 'ignored');
      run.judgment = giveUp(reason);
      run.endedAt = run.startedOn;
      return [run];
    });
    const results = [...this.#ended, ...missing].map(toResult);
    const isPaidAgain = results.some(({ cause }) => cause === 'second-trigger');
    return results.map((result) => ({
      ...result,
      // An application that pays each trigger does so also after a restart, and twice at once.
      ...(isPaidAgain && repeats.has(result.cause) && { cause: 'second-trigger' as const }),
    }));
  }

  /** Creates a run of a scenario. `count` is the number of its earlier ones. */
  #createRun(scenario: Scenario, behavior: ScenarioRun['behavior'], count = 0): ScenarioRun {
    const place = scenarios.indexOf(scenario) * MAX_RUNS + count;
    return new ScenarioRun(this.#context, scenario, behavior, place * MAX_ORDERS + 1);
  }
}

const repeats: ReadonlySet<Cause | undefined> = new Set<Cause>(['at-once', 'restart', 'changed-amount']);

/** Prepares the mock and the application for a scenario. Keeps all payments, requests and deliveries. */
async function prepare({ context, behavior }: ScenarioRun, profile: Scenario['profile']): Promise<void> {
  const { service, application, settings } = context;
  const { sandbox } = service.mock;
  sandbox.faults.clear();
  sandbox.profile.set({ ...settings, ...profile, idempotency: behavior });
  await service.setBalances(RICH);
  await application.ensureAlive();
}

async function runScenario(run: ScenarioRun): Promise<void> {
  const { scenario, context } = run;
  // The first scenario shows that the application can be started and triggered.
  const isFirst = context.isSynchronous === undefined;
  try {
    await prepare(run, scenario.profile);
    await scenario.act(run);
    await run.untilFinal();
    if (context.webhooks !== undefined && scenario.isNeverDelivered !== true) await run.deliver();
    run.isAlive = await context.application.isAlive();
    await context.application.ensureAlive();
  } catch (error) {
    if (!(error instanceof UsageError) || isFirst) throw error;
    run.problem = error.message;
  }
  await judgeRun(run);
  run.end();
  if (run.judgment.isOpen === true) run.leasedUntil = findLeaseEnd(run);
}

/** Returns when the lease of a create whose response was lost ends, for an application whose lease is known. */
function findLeaseEnd(run: ScenarioRun): number | undefined {
  const { lease } = run.context.application;
  const last = run.creates().findLast((create) => run.isUnreadable(create));
  return last && lease && run.toRunTime(last.at) + lease + LEASE_MARGIN;
}

async function judgeRun(run: ScenarioRun): Promise<void> {
  const { scenario, problem } = run;
  const evidence = [];
  for (const records of await run.readAll())
    evidence.push({ ...records, effects: await run.countEffects(listExpected(scenario, records), records) });
  run.judgment = judge(run, evidence);
  if (problem !== undefined && run.judgment.verdict !== 'failed') run.judgment = giveUp(problem);
}

function giveUp(reason: string): Judgment {
  return { verdict: 'unjudged', sentence: `not judged: ${reason}`, isUnclear: true };
}

/** Judges a run at the end. The events of a late payment can have met an application that was down. */
async function deliverAndJudge(run: ScenarioRun): Promise<void> {
  if (run.context.webhooks !== undefined && run.scenario.isNeverDelivered !== true) await run.deliver();
  await judgeRun(run);
}

const isLeased = ({ leasedUntil }: ScenarioRun): boolean => leasedUntil !== undefined;
const rank = ({ judgment }: ScenarioRun): number => verdicts.indexOf(judgment.verdict);

/** Returns the result of the worst run of a scenario. */
function toResult(runs: readonly ScenarioRun[]): ScenarioResult {
  const worst = runs.reduce((one, other) => (rank(other) > rank(one) ? other : one));
  const needsReplay = runs.every(
    ({ behavior, problem, judgment: { verdict } }) =>
      problem === undefined && (verdict === 'failed') === (behavior === 'ignored'),
  );
  const note = needsReplay && runs.length > 1 ? '; correct only if the service replays keys' : '';
  return {
    ...worst.judgment,
    sentence: `${worst.judgment.sentence}${note}`,
    scenario: worst.scenario,
    reference: worst.order.reference,
    duration_ms: runs.reduce((sum, { startedOn, endedAt }) => sum + endedAt - startedOn, 0),
    timeline: readTimeline(worst),
    output: worst.output,
    isWaiting: false,
  };
}

/** Finds free ports of this machine. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
