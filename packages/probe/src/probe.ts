import { createClient, type Fetch } from '@service/sdk';
import type { Experiment, ProbeContext } from './context.ts';
import { access } from './experiments/access.ts';
import { fees } from './experiments/fees.ts';
import { leniency, texts } from './experiments/leniency.ts';
import { market } from './experiments/market.ts';
import { history } from './experiments/history.ts';
import { rateLimit } from './experiments/limits.ts';
import { payments } from './experiments/payments.ts';
import { requests } from './experiments/requests.ts';
import { rounding } from './experiments/rounding.ts';
import { refusalShapes } from './experiments/refusals.ts';
import { eventShapes, shapes } from './experiments/shapes.ts';
import { webhooks } from './experiments/webhooks.ts';
import {
  type Finding,
  Inconclusive,
  type MeasuredProfile,
  NoResponse,
  redactEvidence,
  shorten,
  unknown,
} from './finding.ts';
import {
  parseConnection,
  parseOptions,
  type ProbeConnection,
  type ProbeOptions,
  type ProbePlan,
} from './options.ts';
import { describeSubject } from './progress.ts';
import { createSendRequest, type RawResponse, sendOnce } from './raw-client.ts';
import { createWebhookRecorder } from './recorder.ts';

/**
 * All experiments in their order: those without side effects first, and the history after the payments that
 * fill it.
 */
export const experiments: readonly Experiment[] = [
  ...access,
  ...requests,
  ...market,
  ...leniency,
  ...fees,
  ...rounding,
  ...payments,
  ...shapes,
  ...refusalShapes,
  ...texts,
  ...history,
  ...webhooks,
  ...eventShapes,
  ...rateLimit,
];

/** The result of a run. */
export interface ProbeResult {
  /** One finding for each setting. */
  readonly findings: readonly Finding[];
  /** The values of the settings that were found. */
  readonly profile: MeasuredProfile;
  /** False if the run was aborted or a response was missing. */
  readonly isComplete: boolean;
  /**
   * The longest time for which reads did not show a new payment, in milliseconds; 0 if every read showed it.
   */
  readonly readLag: number;
}

/**
 * Measures the profile of a service with an API key in test mode. Creates ten to sixteen test payments, unless
 * `payments` is false.
 *
 * @throws {ConfigurationError} when an option is invalid, or the key is a live key.
 * @throws {ServiceError} when the first request fails.
 * @example
 * const { profile, isComplete } = await probe({ apiKey: 'service_test_…', baseUrl });
 */
export async function probe(connection: ProbeConnection, options: ProbeOptions = {}): Promise<ProbeResult> {
  const plan = parseOptions(options);
  const checked = parseConnection(connection);
  const client = createClient(checked);
  // A wrong key or base URL rejects with the error that every call of the client has.
  await client.balance.retrieve({ signal: plan.signal });
  const recorder = plan.webhooks && createWebhookRecorder(plan.clock.now);
  const stopWebhooks = recorder && (await plan.webhooks?.(recorder));
  try {
    return await runExperiments({ ...createContext(checked, plan), recorder });
  } finally {
    await stopWebhooks?.();
  }
}

function createContext(
  { apiKey, baseUrl, fetch: send }: ProbeConnection,
  plan: ProbePlan,
): Omit<ProbeContext, 'recorder' | 'onReadLag'> {
  const { clock, signal } = plan;
  const fetch: Fetch = send ?? ((request) => globalThis.fetch(request));
  // The clock resolves after an abort; without a rejection, polling loops would not end.
  const sleep = async (milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds, signal);
    signal.throwIfAborted();
  };
  const responseTimes: number[] = [];
  const onResponse = (response: RawResponse, milliseconds: number): void => {
    if (response.accepted) responseTimes.push(milliseconds);
  };
  const target = { baseUrl: baseUrl.replace(/\/+$/, ''), key: apiKey, fetch, signal };
  const rawClient = { ...target, sleep, now: clock.now, onResponse };
  return {
    plan,
    key: apiKey,
    send: createSendRequest(rawClient),
    sendOnce: (path, request = {}) => sendOnce(rawClient, path, request),
    sleep,
    now: clock.now,
    made: [],
    watched: [],
    responseTimes,
  };
}

/** Runs all experiments. After an abort the remaining settings are `unknown`. */
async function runExperiments(parts: Omit<ProbeContext, 'onReadLag'>): Promise<ProbeResult> {
  const findings: Finding[] = [];
  let isComplete = true;
  let readLag = 0;
  const onReadLag = (milliseconds: number): void => void (readLag = Math.max(readLag, milliseconds));
  const context = { ...parts, onReadLag };
  for (const experiment of experiments) {
    context.plan.onProgress(describeSubject(experiment.settings));
    const result = await runExperiment(experiment, context);
    isComplete &&= result.isComplete;
    for (const measured of result.findings) {
      // Before shortening: half a key would not be recognized.
      const finding = shorten(redactEvidence(measured, context.key));
      findings.push(finding);
      await context.plan.onFinding(finding);
    }
  }
  return { findings, profile: toProfile(findings), isComplete, readLag };
}

type ExperimentResult = Pick<ProbeResult, 'findings' | 'isComplete'>;

/**
 * Runs one experiment. If it has no result, its settings are `unknown` and the other experiments still run.
 */
async function runExperiment(
  { settings, pays, run }: Experiment,
  context: ProbeContext,
): Promise<ExperimentResult> {
  const { signal, payments: mayPay } = context.plan;
  const toUnknown = (reason: string, isComplete = true): ExperimentResult => ({
    findings: settings.map((setting) => unknown(setting, reason)),
    isComplete,
  });
  if (signal.aborted) return toUnknown('interrupted', false);
  if (pays && !mayPay) return toUnknown('requires payments, which `payments: false` excludes');
  try {
    return { findings: await run(context), isComplete: true };
  } catch (error) {
    if (signal.aborted) return toUnknown('interrupted', false);
    if (!(error instanceof Inconclusive)) throw error;
    return toUnknown(error.message, !(error instanceof NoResponse));
  }
}

function toProfile(findings: readonly Finding[]): MeasuredProfile {
  return Object.fromEntries(
    findings.flatMap((finding) => (finding.state === 'found' ? [[finding.setting, finding.value]] : [])),
  );
}
