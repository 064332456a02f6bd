import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { ProfileChoice } from '@service/mock';
import { UsageError } from '../errors.ts';
import type { Progress } from '../output.ts';
import { type Cause, type Judgment, judge, listExpected, verdicts } from './judge.ts';
import { type Effects, type RunContext, ScenarioRun, type TimelineEntry } from './run.ts';
import { RICH, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { readTimeline } from './timeline.ts';

/** The behaviors of the service for a repeated idempotency key, which the document does not define. */
const keyBehaviors = ['ignored', 'replayed', 'replayedAny', 'conflict'] as const;
export type KeyBehavior = (typeof keyBehaviors)[number];

/** The scenarios to run, and the behaviors of the service for those of creates. */
export interface Plan {
  readonly only: readonly string[];
  readonly behaviors: readonly KeyBehavior[];
}

/** One run of a scenario with one behavior of the service. */
interface Attempt {
  readonly run: ScenarioRun;
  readonly behavior: KeyBehavior;
  readonly isAlive: boolean;
  /** The reason for a run that could not end. */
  readonly problem: string | undefined;
  readonly judgment: Judgment;
  readonly timeline: readonly TimelineEntry[];
  /** The time at which the lease of its create ends, if that can change the verdict. */
  readonly leasedUntil: number | undefined;
}

/** The runs of a scenario, one for each behavior of the service. */
interface Row {
  readonly scenario: Scenario;
  readonly duration_ms: number;
  attempts: readonly Attempt[];
}

/** The result of a scenario, over all behaviors of the service that it ran with. */
export interface ScenarioResult extends Judgment {
  readonly scenario: Scenario;
  readonly reference: string;
  readonly timeline: readonly TimelineEntry[];
  /** The last output of the application. */
  readonly output: string;
  readonly duration_ms: number;
  /** Whether it is judged again at the end, after a lease. */
  readonly isWaiting: boolean;
}

/** Time after the end of a lease, for the clocks of its store, in milliseconds. */
const LEASE_MARGIN = 1_000;

type OnResult = (result: ScenarioResult) => Promise<void>;

/** Maximum number of orders of one run of a scenario. */
const MAX_ORDERS = 5;

/** Returns the scenarios that apply. The first one is always among them: it shows that the application uses the mock. */
export function selectScenarios(
  { trigger = '', webhooks, ports, kill }: Pick<RunContext, 'trigger' | 'webhooks' | 'ports' | 'kill'>,
  only: readonly string[],
): readonly Scenario[] {
  const unknown = only.find((name) => !scenarios.some((each) => each.name === name));
  if (unknown !== undefined) {
    const names = scenarios.map(({ name }) => name).join(', ');
    throw new UsageError(`--only: there is no scenario ${JSON.stringify(unknown)}. The scenarios: ${names}.`);
  }
  const available = {
    trigger: trigger !== '',
    references: trigger.includes('{reference}'),
    amount: trigger.includes('{reference}') && trigger.includes('{amount}'),
    instances: ports.length > 1,
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
  readonly #plan: Plan;
  readonly #selected: readonly Scenario[];
  readonly #ended: Row[] = [];
  /** The scenario that runs. */
  progress: Progress = { text: 'The application starts.' };

  constructor(context: RunContext, plan: Plan) {
    this.#context = context;
    this.#plan = plan;
    this.#selected = selectScenarios(context, plan.only);
  }

  /**
   * Runs all scenarios.
   *
   * @param onResult Called with each result, and again with one that a late payment has changed.
   * @throws {UsageError} when the application cannot be started and triggered at all.
   */
  async run(onResult: OnResult): Promise<void> {
    const { signal, clock, service } = this.#context;
    for (const [done, scenario] of this.#selected.entries()) {
      // An application that pays before it responds has no time in which a job can be lost.
      if (scenario.needsQueue === true && this.#context.isSynchronous === true) continue;
      const text = `${scenario.name}: ${scenario.happens}`;
      this.progress = { text, done, total: this.#selected.length };
      const startedAt = clock.now();
      const attempts: Attempt[] = [];
      const isRepeated = scenario.repeatsTrigger ?? (scenario.kind === 'create' && scenario.isSlow !== true);
      const behaviors = isRepeated ? this.#plan.behaviors : this.#plan.behaviors.slice(0, 1);
      for (const behavior of behaviors) {
        attempts.push(await runScenario(this.#context, scenario, behavior));
        if (signal.aborted) return;
      }
      const row = { scenario, attempts, duration_ms: clock.now() - startedAt };
      this.#ended.push(row);
      const isWaiting = attempts.some(({ leasedUntil }) => leasedUntil !== undefined);
      await onResult({ ...toResult(row), isWaiting });
    }
    await service.waitUntil(() => false);
    await this.#continueLeased();
    for (const row of this.#ended) await this.#judgeAgain(row, onResult);
  }

  /** Waits for the leases of payments with an unknown outcome, and triggers those again. */
  async #continueLeased(): Promise<void> {
    const { clock, signal, service, application } = this.#context;
    const leased = this.#ended.flatMap(({ scenario, attempts }) =>
      attempts.flatMap((attempt) => (attempt.leasedUntil === undefined ? [] : { scenario, attempt })),
    );
    if (leased.length === 0) return;
    const until = Math.max(...leased.map(({ attempt }) => attempt.leasedUntil ?? 0));
    const text = `${leased.length} payments wait for their leases.`;
    this.progress = { text, limit: Math.max(0, until - clock.now()) };
    await clock.sleep(Math.max(0, until - clock.now()), signal);
    for (const { scenario, attempt } of leased) {
      if (signal.aborted) return;
      await prepare(this.#context, { ...this.#context.profile, idempotency: attempt.behavior });
      service.route.isHeld = false;
      for (const order of attempt.run.orders) await attempt.run.trigger(0, order);
      if (scenario.isNeverDelivered !== true) await attempt.run.deliver();
    }
    await application.ensureAlive();
    await service.waitUntil(() => false);
  }

  async #judgeAgain(row: Row, onResult: OnResult): Promise<void> {
    const { application, signal } = this.#context;
    if (signal.aborted) return;
    const before = toResult(row);
    await application.ensureAlive();
    row.attempts = await Promise.all(row.attempts.map((attempt) => judgeLate(row.scenario, attempt)));
    const after = toResult(row);
    const wasWaiting = row.attempts.some(({ leasedUntil }) => leasedUntil !== undefined);
    if (wasWaiting || after.sentence !== before.sentence || after.verdict !== before.verdict)
      await onResult(after);
  }

  /** Returns a result for each selected scenario. `reason` is that of the ones that did not run. */
  results(reason: string): readonly ScenarioResult[] {
    const ended = this.#ended.map(toResult);
    const isPaidAgain = ended.some(({ cause }) => cause === 'second-trigger');
    const missing = this.#selected.filter(
      (scenario) =>
        !this.#ended.some((row) => row.scenario === scenario) &&
        !(scenario.needsQueue === true && this.#context.isSynchronous === true),
    );
    return [
      ...ended.map((result) => ({
        ...result,
        // An application that pays each trigger does so also after a restart, and twice at once.
        ...(isPaidAgain && repeats.has(result.cause) && { cause: 'second-trigger' as const }),
      })),
      ...missing.map((scenario) => ({
        scenario,
        reference: '',
        duration_ms: 0,
        timeline: [],
        output: '',
        isWaiting: false,
        verdict: 'unjudged' as const,
        sentence: `not judged: ${reason}`,
        isUnclear: true,
      })),
    ];
  }
}

const repeats: ReadonlySet<Cause | undefined> = new Set<Cause>(['at-once', 'restart', 'changed-amount']);

/** Prepares the mock and the application for a scenario. Keeps all payments, requests and deliveries. */
async function prepare({ service, application }: RunContext, profile: ProfileChoice): Promise<void> {
  const { sandbox } = service.mock;
  sandbox.faults.clear();
  sandbox.profile.set(profile);
  await service.setBalances(RICH);
  Object.assign(service.route, { isHeld: true, change: undefined, onAcknowledged: undefined });
  await application.ensureAlive();
}

async function runScenario(context: RunContext, scenario: Scenario, behavior: KeyBehavior): Promise<Attempt> {
  const place = scenarios.indexOf(scenario) * keyBehaviors.length + keyBehaviors.indexOf(behavior);
  const run = new ScenarioRun(context, place * MAX_ORDERS + 1);
  // The first scenario shows that the application can be started and triggered.
  const isFirst = context.isSynchronous === undefined;
  let problem: string | undefined;
  let isAlive = true;
  try {
    await prepare(context, { ...context.profile, ...scenario.profile, idempotency: behavior });
    await scenario.act(run);
    await run.untilFinal();
    if (context.webhooks !== undefined && scenario.isNeverDelivered !== true) await run.deliver();
    isAlive = await context.application.isAlive();
    await context.application.ensureAlive();
  } catch (error) {
    if (!(error instanceof UsageError) || isFirst) throw error;
    problem = error.message;
  }
  const judgment = await judgeRun(scenario, { run, isAlive, problem });
  run.end();
  const leasedUntil = judgment.isOpen === true ? findLeaseEnd(run) : undefined;
  return { run, behavior, isAlive, problem, judgment, timeline: readTimeline(run), leasedUntil };
}

/** Returns when the lease of a create whose response was lost ends, for an application whose lease is known. */
function findLeaseEnd(run: ScenarioRun): number | undefined {
  const lost = run.creates().filter((create) => run.isUnreadable(create));
  const lease = run.context.application.findLease();
  const last = lost.at(-1);
  return last && lease && run.toRunTime(last.at) + lease + LEASE_MARGIN;
}

async function judgeRun(
  scenario: Scenario,
  { run, isAlive, problem }: Pick<Attempt, 'run' | 'isAlive' | 'problem'>,
): Promise<Judgment> {
  const records = await run.readAll();
  const effects: Effects[] = [];
  for (const each of records) effects.push(await run.countEffects(listExpected(scenario, each), each));
  const judgment = judge(scenario, { run, records, effects, isAlive });
  if (problem === undefined || judgment.verdict === 'failed') return judgment;
  return { verdict: 'unjudged', sentence: `not judged: ${problem}`, isUnclear: true };
}

/** Judges a run again, unless nothing can change: what was paid twice stays paid twice. */
async function judgeLate(scenario: Scenario, attempt: Attempt): Promise<Attempt> {
  const { verdict, isOpen } = attempt.judgment;
  if (verdict === 'failed' && isOpen !== true) return attempt;
  const judgment = await judgeRun(scenario, attempt);
  return { ...attempt, judgment, timeline: readTimeline(attempt.run) };
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
  const { run, timeline, judgment } = worst;
  const { sentence } = judgment;
  return {
    ...judgment,
    scenario,
    reference: run.order.reference,
    timeline,
    output: run.output,
    isWaiting: false,
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
