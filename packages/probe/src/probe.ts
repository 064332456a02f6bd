import { createClient } from '@service/sdk';
import type { Finding, MeasuredProfile } from './finding.ts';
import { parseConnection, parseOptions, type ProbeConnection, type ProbeOptions } from './options.ts';
import { createWebhookRecorder } from './recorder.ts';
import { runExperiments } from './run.ts';

/** The result of a run. */
export interface ProbeResult {
  /** One finding for each setting. */
  readonly findings: readonly Finding[];
  /**
   * The values of the settings that were found. Where the run only excluded the default, the first value that remains
   * possible.
   */
  readonly profile: MeasuredProfile;
  /** False if the run was aborted or a response was missing. */
  readonly isComplete: boolean;
  /**
   * The longest time for which reads did not show a new payment, in milliseconds; 0 if every read showed it.
   */
  readonly readLag: number;
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
  const checked = parseConnection(connection);
  const client = createClient(checked);
  // A wrong key or base URL rejects with the error that every call of the client has.
  await client.balance.retrieve({ signal: plan.signal });
  const recorder = plan.webhooks && createWebhookRecorder(plan.clock.now);
  const stopWebhooks = recorder && (await plan.webhooks?.(recorder));
  try {
    return await runExperiments(checked, plan, recorder);
  } finally {
    await stopWebhooks?.();
  }
}
