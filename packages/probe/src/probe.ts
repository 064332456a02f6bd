import { createClient as createSdkClient } from '@service/sdk';
import type { Fetch } from '@service/sdk';
import { createClient } from './client.ts';
import type { Exchange } from './exchange.ts';
import { type Finding, type MeasuredProfile, REDACTED } from './finding.ts';
import { learnFindings, toProfile } from './learn/index.ts';
import {
  DEFAULT_TIMEOUT,
  parseConnection,
  parseOptions,
  type ProbeConnection,
  type ProbeOptions,
  type ProbePlan,
} from './options.ts';
import { createWebhookRecorder } from './recorder.ts';
import { runScript } from './script.ts';
import { type Call, type Facts, toCall } from './traffic.ts';

/** The result of a run. */
export interface ProbeResult {
  /** One finding for each setting. */
  readonly findings: readonly Finding[];
  /** The values of the settings that were found, and the explained parts of others. */
  readonly profile: MeasuredProfile;
  /** False if the run was aborted or a response was missing. */
  readonly isComplete: boolean;
  /** The requests of the run without the API key, and the webhooks that it received: all findings follow from them. */
  readonly exchanges: readonly Exchange[];
}

/**
 * Measures the profile of a service with an API key in test mode. Creates ten to fifteen test payments, unless
 * `payments` is false.
 *
 * @throws {ConfigurationError} when an option is invalid, or the key is a live key.
 * @throws {ServiceError} when the first request fails.
 * @example
 * const { profile, isComplete } = await probe({ apiKey: 'service_test_…', baseUrl });
 */
export async function probe(connection: ProbeConnection, options: ProbeOptions = {}): Promise<ProbeResult> {
  const plan = parseOptions(options);
  const { apiKey, baseUrl, fetch: send } = parseConnection(connection);
  // A wrong key or base URL rejects with the error that every call of the client has.
  await createSdkClient(connection).balance.retrieve({ signal: plan.signal });
  const { clock, signal } = plan;
  const exchanges: Exchange[] = [];
  const calls: Call[] = [];
  const { origin, pathname } = new URL(baseUrl);
  const facts: Facts = { ...plan, basePath: pathname.replace(/\/+$/, ''), origin };
  const record = (exchange: Exchange): Call => {
    const call = toCall(exchange, facts)[0] as Call;
    exchanges.push(exchange);
    calls.push(call);
    return call;
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    signal.throwIfAborted();
    await clock.sleep(milliseconds, signal);
    signal.throwIfAborted();
  };
  const report = (subject: string): void => plan.onProgress([subject]);
  const client = createClient({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key: apiKey,
    fetch: send ?? ((url, init): ReturnType<Fetch> => globalThis.fetch(url, init)),
    signal,
    now: clock.now,
    sleep,
    record,
    report,
  });
  const recorder = plan.webhooks && createWebhookRecorder(clock.now, record);
  const stopWebhooks = recorder && (await plan.webhooks?.(recorder));
  try {
    const [start, stretch] = [clock.now(), Math.max(1, plan.timeout / DEFAULT_TIMEOUT)];
    const after = (seconds: number): number => start + seconds * 1_000 * stretch;
    const run = { ...client, plan, facts, calls, recorder, now: clock.now, sleep, after, report };
    const isComplete = await runScript(run);
    const learned = learnFindings(exchanges, facts, apiKey);
    const findings = learned.map((finding) => explainUnknown(finding, plan, recorder?.rejected() ?? 0));
    for (const finding of findings) await plan.onFinding(finding);
    const shown = JSON.parse(JSON.stringify(exchanges).replaceAll(apiKey, REDACTED)) as Exchange[];
    return { findings, profile: toProfile(findings), isComplete, exchanges: shown };
  } finally {
    await stopWebhooks?.();
  }
}

const ofWebhooks: ReadonlySet<string> = new Set(['ack', 'retrySchedule', 'events', 'eventShape']);

/** Explains why a setting is unknown if the run ended early, or if the webhooks were rejected. */
function explainUnknown(finding: Finding, { signal }: ProbePlan, rejected: number): Finding {
  if (finding.state !== 'unknown') return finding;
  if (signal.aborted) return { ...finding, evidence: 'interrupted' };
  if (rejected === 0 || !ofWebhooks.has(finding.setting)) return finding;
  const reason = `${rejected} webhooks were rejected; check that the signing secret is the secret of the endpoint`;
  return { ...finding, evidence: `${reason}; ${finding.evidence}` };
}
