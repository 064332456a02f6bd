import { defaultProfile } from '@service/internal';
import type { Fetch, FetchInit } from '@service/sdk';
import type { Experiment, ProbeContext } from './context.ts';
import { experiments, stages, type Track } from './experiments.ts';
import {
  type Finding,
  Inconclusive,
  type MeasuredProfile,
  NoResponse,
  redactEvidence,
  shorten,
  unknown,
} from './finding.ts';
import type { ProbeConnection, ProbePlan } from './options.ts';
import type { ProbeResult } from './probe.ts';
import { createProgress, describeSubject, type Progress } from './progress.ts';
import { createSendRequest, type RawResponse, type SendRequest, sendOnce } from './raw-client.ts';
import type { WebhookRecorder } from './recorder.ts';
import { rejectInvalid } from './templates/check.ts';
import type { HeaderReading } from './templates/limits.ts';
import { createTimeline } from './timeline.ts';

/** Runs all experiments. After an abort the remaining settings are `unknown`. */
export async function runExperiments(
  connection: ProbeConnection,
  given: ProbePlan,
  recorder: WebhookRecorder | undefined,
): Promise<ProbeResult> {
  // Ends the other tracks after an error of one.
  const failure = new AbortController();
  const plan = { ...given, signal: AbortSignal.any([given.signal, failure.signal]) };
  const progress = createProgress(plan.onProgress);
  let readLag = 0;
  const context: ProbeContext = {
    ...createContext(connection, plan, progress),
    recorder,
    onReadLag: (milliseconds) => void (readLag = Math.max(readLag, milliseconds)),
  };
  const results = new Map<Experiment, ExperimentResult>();
  const report = createReport(plan.onFinding, (error) => failure.abort(error));
  const runTrack = async (track: Track): Promise<void> => {
    for (const experiment of track) {
      const end = progress.start(describeSubject(experiment));
      results.set(experiment, await runExperiment(experiment, context).finally(end));
      report.update(results);
    }
  };
  for (const stage of stages)
    await Promise.all(stage.map((track) => runTrack(track).catch((error: unknown) => failure.abort(error))));
  await report.end();
  if (failure.signal.aborted) throw failure.signal.reason;
  const all = [...results.values()];
  const findings = experiments.flatMap((experiment) => results.get(experiment)?.findings ?? []);
  const isComplete = all.every((result) => result.isComplete);
  return { findings, profile: toProfile(findings), isComplete, readLag };
}

interface Report {
  /** Reports the findings of the first experiments that have ended. */
  readonly update: (results: ReadonlyMap<Experiment, ExperimentResult>) => void;
  /** Waits until all findings are reported. */
  readonly end: () => Promise<void>;
}

/** Creates a report of the findings in the order of the experiments, whichever ends first. */
function createReport(onFinding: ProbePlan['onFinding'], onError: (error: unknown) => void): Report {
  let count = 0;
  let reported: Promise<void> = Promise.resolve();
  const add = async (previous: Promise<void>, { findings }: ExperimentResult): Promise<void> => {
    await previous;
    for (const finding of findings) await onFinding(finding);
  };
  return {
    update: (results) => {
      for (;;) {
        const next = experiments[count];
        const result = next && results.get(next);
        if (result === undefined) return;
        count += 1;
        reported = add(reported, result);
        reported.catch(onError);
      }
    },
    end: () => reported.catch(() => {}),
  };
}

/** Creates the records to which the experiments add. */
function createRecords(): Pick<
  ProbeContext,
  | 'made'
  | 'headers'
  | 'envelope'
  | 'refused'
  | 'replays'
  | 'watched'
  | 'shown'
  | 'balances'
  | 'created'
  | 'market'
> {
  return {
    made: [],
    headers: new Map(),
    envelope: {},
    refused: [],
    replays: [],
    watched: [],
    shown: [],
    balances: [],
    created: new Map(),
    market: { quotes: new Map(), prices: new Map(), readings: [], others: [] },
  };
}

function createContext(
  { apiKey, baseUrl, fetch: send }: ProbeConnection,
  plan: ProbePlan,
  progress: Progress,
): Omit<ProbeContext, 'recorder' | 'onReadLag'> {
  const { clock, signal } = plan;
  const timeline = createTimeline(clock, signal);
  const [responseTimes, readings, limited]: [number[], HeaderReading[], RawResponse[]] = [[], [], []];
  const records = createRecords();
  const rawClient = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key: apiKey,
    fetch: send ?? ((url: string, init: FetchInit): ReturnType<Fetch> => globalThis.fetch(url, init)),
    signal,
    timeline,
    now: clock.now,
    onResponse: (response: RawResponse, milliseconds: number): void => {
      if (!response.accepted) return;
      responseTimes.push(milliseconds);
      readings.push({ headers: response.headers, at: clock.now(), method: response.request?.method });
    },
    onLimited: (seconds: number, response: RawResponse) => {
      limited.push(response);
      return progress.start(`${Math.ceil(seconds)} s for the rate limit`);
    },
  };
  return {
    plan,
    key: apiKey,
    send: collectBalances(createSendRequest(rawClient), records.balances),
    sendOnce: (path, request = {}) => sendOnce(rawClient, path, request),
    sleep: timeline.sleep,
    now: clock.now,
    lockWallet: createLock(),
    ...records,
    limited,
    responseTimes,
    readings,
  };
}

/** Creates a function that sends a request, and collects the responses with other balances than the last one. */
function collectBalances(send: SendRequest, balances: ProbeContext['balances']): SendRequest {
  return async (path, request) => {
    const response = await send(path, request);
    if (path !== '/balance' || !response.accepted) return response;
    if (JSON.stringify(response.data) !== JSON.stringify(balances.at(-1)?.data)) balances.push(response);
    return response;
  };
}

/** Creates a function that runs one work at a time, in the order of the calls. */
function createLock(): ProbeContext['lockWallet'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}

interface ExperimentResult {
  readonly findings: readonly Finding[];
  readonly isComplete: boolean;
}

/**
 * Runs one experiment. If it has no result, its settings are `unknown` and the other experiments still run.
 */
async function runExperiment(
  { settings, pays, run }: Experiment,
  context: ProbeContext,
): Promise<ExperimentResult> {
  const { signal, payments: mayPay } = context.plan;
  const toResult = (findings: readonly Finding[], isComplete = true): ExperimentResult => ({
    // Before shortening: half a key would not be recognized.
    findings: findings.map((finding) => shorten(rejectInvalid(redactEvidence(finding, context.key)))),
    isComplete,
  });
  const toUnknown = (reason: string, isComplete = true): ExperimentResult =>
    toResult(
      settings.map((setting) => unknown(setting, reason)),
      isComplete,
    );
  if (signal.aborted) return toUnknown('interrupted', false);
  if (pays && !mayPay) return toUnknown('requires payments, which `payments: false` excludes');
  try {
    return toResult(await run(context));
  } catch (error) {
    if (signal.aborted) return toUnknown('interrupted', false);
    if (!(error instanceof Inconclusive)) throw error;
    return toUnknown(error.message, !(error instanceof NoResponse));
  }
}

/** Returns the found values. Where the run excluded the default but did not decide, the first value that remains possible. */
function toProfile(findings: readonly Finding[]): MeasuredProfile {
  return Object.fromEntries(
    findings.flatMap((finding) => {
      const { setting } = finding;
      if (finding.state === 'found') return [[setting, finding.value]];
      const { among = [] } = finding.state === 'unknown' ? finding : {};
      const isDefaultExcluded = among.length > 0 && among.every((value) => value !== defaultProfile[setting]);
      return isDefaultExcluded ? [[setting, among[0]]] : [];
    }),
  );
}
