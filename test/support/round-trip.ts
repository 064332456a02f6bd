// Probes a mock with a profile, plays the found profile with another mock, and makes the same calls to both, in process and
// with manual clocks.
import { type RunClock, toRecord } from '@service/internal';
import { createMock, type Mock, type ProfileChoice } from '@service/mock';
import { probe, type ProbeResult, type WebhookSink } from '@service/probe';
import { compareRuns, type ComparedCall } from './judge/compare.ts';
import { callMock } from './judge/judge.ts';

const accounts = { failing: 'SIM-FAIL', returning: 'SIM-RETURN' };
const start = '2026-01-31T12:00:00Z';
/** Number of turns of the event loop without a request after which only waits are in progress. */
const IDLE_TURNS = 3;

/** The time of a mock for code that waits. */
function clockOf({ sandbox }: Mock): {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
} {
  return {
    now: () => sandbox.clock.now().getTime(),
    sleep: async (milliseconds) => {
      await sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`);
    },
  };
}

/**
 * Runs the time of a mock as real time passes for work in parallel: only while no request is in progress, and to the end of the
 * earliest wait.
 */
function runTime(mock: Mock): { readonly fetch: Mock['fetch']; readonly clock: RunClock } {
  const { now, sleep } = clockOf(mock);
  const waits: { readonly until: number; readonly end: () => void }[] = [];
  let requests = 0;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waits.length > 0) {
      // Work after the end of a wait or of a request can take some turns until it sends the next one.
      for (let turns = 0; turns < IDLE_TURNS; turns = requests > 0 ? 0 : turns + 1)
        await new Promise<void>((resolve) => setImmediate(resolve));
      waits.sort((one, other) => one.until - other.until);
      const first = waits.shift()!;
      if (first.until > now()) await sleep(first.until - now());
      first.end();
    }
    isRunning = false;
  };
  return {
    fetch: async (...request) => {
      requests += 1;
      return mock.fetch(...request).finally(() => (requests -= 1));
    },
    clock: {
      now,
      sleep: async (milliseconds) =>
        new Promise<void>((end) => {
          waits.push({ until: now() + Math.ceil(milliseconds), end });
          if (!isRunning) void run();
        }),
    },
  };
}

/** Probes a mock with a profile. */
async function probeProfile(profile: ProfileChoice): Promise<ProbeResult> {
  let sink: WebhookSink | undefined;
  const mock: Mock = createMock({
    clock: 'manual',
    start,
    seed: 42,
    profile,
    fetch: async (request) => {
      sink!.record(new Uint8Array(await request.arrayBuffer()));
      return new Response(null, { status: 200 });
    },
  });
  const { account, sandbox, baseUrl } = mock;
  const { fetch, clock } = runTime(mock);
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks' });
  return await probe(
    { apiKey: account.testKey, baseUrl, fetch, onWarning: () => {} },
    {
      webhooks: async (given) => {
        sink = given;
        return async () => {};
      },
      clock,
    },
  );
}

/** The result of a round trip. */
export interface RoundTrip {
  readonly found: ProfileChoice;
  readonly findings: ProbeResult['findings'];
  readonly compared: readonly ComparedCall[];
  /**
   * The calls that differ although the mock also plays the true values of all settings that the report does not call found:
   * something that it calls found is wrong.
   */
  readonly wrong: readonly ComparedCall[];
}

/** The settings that the probe does not measure, so that somebody writes them into the profile. */
const byHand: ReadonlySet<string> = new Set([
  'ack',
  'bothKeys',
  'deliveryFaults',
  'headers',
  'rateLimit',
  'retryAfter',
  'retrySchedule',
  'texts',
]);

/** The fields that it does not measure. */
const fieldsByHand: Readonly<Record<string, readonly string[]>> = {
  debitAt: ['hold'],
  readLag: ['balance', 'transactions'],
  refund: ['returned'],
  requestBody: ['malformed', 'checked'],
  statuses: ['pending', 'processing', 'completed'],
};

/** Adds the written fields of a setting to a value. */
function addByHand(profile: ProfileChoice, setting: keyof ProfileChoice, value: unknown): unknown {
  const names = fieldsByHand[setting] ?? [];
  const written = Object.entries(toRecord(profile[setting])).filter(([name]) => names.includes(name));
  return written.length === 0 ? value : { ...toRecord(value), ...Object.fromEntries(written) };
}

/** The settings with times, which are right within the precision of the reads: some calls depend on their order. */
const ofTime: ReadonlySet<string> = new Set(['readLag', 'retrySchedule', 'statuses']);

/**
 * Probes a mock with a profile, and compares its answers with those of a mock that plays the found profile, and the written
 * values of settings that the report calls not measured.
 */
export async function makeRoundTrip(profile: ProfileChoice): Promise<RoundTrip> {
  const { findings } = await probeProfile(profile);
  const measured: ProfileChoice = Object.fromEntries(
    findings.flatMap(({ setting, ...finding }) => {
      const value = addByHand(profile, setting, 'value' in finding ? finding.value : undefined);
      return value === undefined ? [] : [[setting, value]];
    }),
  );
  const written = findings.flatMap(({ setting, state }) =>
    byHand.has(setting) && state !== 'found' && profile[setting] !== undefined
      ? [[setting, profile[setting]] as const]
      : [],
  );
  const found: ProfileChoice = { ...measured, ...Object.fromEntries(written) };
  const ofService = await callMock({ profile, accounts, seed: 1 });
  const compared = compareRuns(ofService, await callMock({ profile: found, accounts, seed: 2 }));
  if (compared.every(({ differences }) => differences.length === 0))
    return { found, findings, compared, wrong: [] };
  // A share that is taken in the rate is a fee or a lower rate.
  const areRatesFound = findings.some(({ setting, state }) => setting === 'rates' && state === 'found');
  const certain = findings.flatMap((finding) => {
    const { setting, state } = finding;
    const isFound = state === 'found' && !ofTime.has(setting) && (setting !== 'fees' || areRatesFound);
    const value = isFound ? addByHand(profile, setting, finding.value) : profile[setting];
    return value === undefined ? [] : [[setting, value] as const];
  });
  const best = await callMock({
    profile: Object.fromEntries(certain),
    accounts,
    seed: 1,
  });
  let wrong = compareRuns(ofService, best).filter(({ differences }) => differences.length > 0);
  // Of some calls, such as two payments that compete for a balance, the service has another answer with another seed.
  for (let seed = 3; wrong.length > 0 && seed < 9; seed += 1) {
    const again = compareRuns(ofService, await callMock({ profile, accounts, seed }));
    const moving = new Set(again.flatMap(({ name, differences }) => (differences.length > 0 ? [name] : [])));
    wrong = wrong.filter(({ name }) => !moving.has(name));
  }
  return { found, findings, compared, wrong };
}
