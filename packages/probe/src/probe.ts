import { ConfigurationError, createClient as createSdkClient } from '@service/sdk';
import type { Call } from './call.ts';
import { createClient } from './client.ts';
import {
  type Finding,
  type MeasuredProfile,
  NoResponse,
  OutOfTime,
  redactFinding,
  toProfile,
} from './finding.ts';
import { parseOptions, type ProbeConnection, type ProbeOptions } from './options.ts';
import type { Step } from './question.ts';
import { findAll, steps } from './questions/index.ts';
import { createWebhookSink } from './recorder.ts';
import type { Run } from './run.ts';
import { type Delivery, see } from './seen.ts';

/** The result of a run. */
export interface ProbeResult {
  /** One finding for each setting. */
  readonly findings: readonly Finding[];
  /** The values that were found, and those of partly explained settings. */
  readonly profile: MeasuredProfile;
  /** False if the run was aborted or a response was missing. */
  readonly isComplete: boolean;
}

/**
 * Measures the profile of a service with an API key in test mode. Creates at most 40 test payments, unless `payments` is false.
 *
 * @throws {ConfigurationError} when an option is invalid, or the key is a live key.
 * @throws {ServiceError} when the first request fails.
 * @example
 * const { profile, isComplete } = await probe({ apiKey: 'service_test_…', baseUrl });
 */
export async function probe(connection: ProbeConnection, options: ProbeOptions = {}): Promise<ProbeResult> {
  const plan = parseOptions(options);
  const { apiKey, baseUrl, fetch = globalThis.fetch } = connection;
  // Wrong options, keys and base URLs reject with the error that every call of the client has.
  const ownClient = createSdkClient(connection);
  if (!apiKey.startsWith('service_test_'))
    throw new ConfigurationError(
      '`apiKey` must be a test key (service_test_…), because the probe creates payments.',
    );
  const { clock, signal } = plan;
  // Also a wait for the rate limit is part of the run.
  const start = clock.now();
  await ownClient.balance.retrieve({ signal });
  const calls: Call[] = [];
  const deliveries: Delivery[] = [];
  const sleep = async (milliseconds: number): Promise<void> => {
    signal.throwIfAborted();
    await clock.sleep(milliseconds, signal);
    signal.throwIfAborted();
  };
  const after = (seconds: number): number => start + seconds * 1_000;
  const shared = { plan, now: clock.now, sleep };
  const client = createClient({
    ...shared,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key: apiKey,
    fetch: fetch as typeof globalThis.fetch,
    // A request of the last second can still take a while.
    end: after(59),
    calls,
  });
  const stopWebhooks = await plan.webhooks?.(createWebhookSink(deliveries, clock.now));
  try {
    const seen = () => see(calls, deliveries, plan);
    const cut = new Set<Step>();
    const isComplete = await runSteps(cut, { ...shared, ...client, seen, after });
    const findings = findAll(seen(), cut).map((finding) =>
      redactFinding(
        signal.aborted && finding.state === 'unknown' ? { ...finding, evidence: 'interrupted' } : finding,
        apiKey,
      ),
    );
    return { findings, profile: toProfile(findings), isComplete };
  } finally {
    await stopWebhooks?.();
  }
}

/**
 * Runs the steps. A step without a response leaves its settings unknown, and the others run. Returns whether all had theirs. Adds
 * to `cut` the steps that had no time.
 */
async function runSteps(cut: Set<Step>, run: Run): Promise<boolean> {
  const { plan } = run;
  let isComplete = true;
  for (const step of steps.filter(({ needs }) => needs === undefined || (plan.payments && plan[needs]))) {
    if (plan.signal.aborted) return false;
    plan.onProgress([step.subject]);
    try {
      await step.send(run);
    } catch (error) {
      if (plan.signal.aborted) return false;
      if (!(error instanceof NoResponse) && !(error instanceof OutOfTime)) throw error;
      if (error instanceof OutOfTime) cut.add(step);
      else isComplete = false;
    }
  }
  return isComplete;
}
