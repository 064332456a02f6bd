// Findings of the probe with every value of every profile setting (docs/contract.md#profile-settings), and with rows that
// contain every pair of values. A finding is correct or `unknown`.
import { isDeepStrictEqual } from 'node:util';
import { createMock, type Mock, type Profile, profileSettings } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { type Finding, probe, type WebhookSink } from '@service/probe';
import { experiments } from '../packages/probe/src/probe.ts';
import { coverPairs } from './support/pairwise.ts';

type Settings = Partial<Profile>;

const settings: Readonly<Record<string, readonly unknown[]>> = {
  ...profileSettings,
  events: [
    ['pending', 'processing', 'under_review', 'completed', 'failed'],
    ['completed', 'failed'],
    ['completed'],
    [],
  ],
  deprecation: [
    'none',
    { deprecated: '2026-01-01T00:00:00.000Z', sunset: '2027-01-01T00:00:00.000Z', link: '/news' },
  ],
};

/** The settings that a client cannot observe with a value. */
const unobservable: Readonly<Record<string, readonly string[]>> = {
  'errorShape: "bare"': ['modeOn401'],
  'errorShape: "html"': ['modeOn401'],
  'feeMode: "inRate"': ['refund'],
  'feeMode: "none"': ['refund'],
  'transitions: "skip"': ['unknownStatus'],
  'retrySchedule: "none"': ['ack', 'redelivery', 'retrySchedule'],
  'events: []': ['ack', 'events', 'retrySchedule', 'redelivery'],
};

const single = Object.entries(settings).flatMap(([name, values]) =>
  values.map((value): [string, Settings] => [`${name}: ${JSON.stringify(value)}`, { [name]: value }]),
);
const pairwise = coverPairs(settings).map((row, index): [number, Settings] => [
  index,
  Object.fromEntries(Object.entries(row).map(([name, at]) => [name, settings[name]?.[at]])),
]);

/** Probes a mock with a profile and a manual clock, which advances when the probe waits. */
async function probeMock(
  profile: Settings,
  webhookTimeout = 20_000,
): Promise<{ findings: readonly Finding[]; mock: Mock }> {
  let sink: WebhookSink | undefined;
  const mock: Mock = createMock({
    clock: 'manual',
    seed: 42,
    profile,
    fetch: async (request) =>
      new Response(null, { status: sink!.record(new Uint8Array(await request.arrayBuffer())) }),
  });
  const { account, sandbox, baseUrl, fetch } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks' });
  sandbox.rateLimit.set({ requests: 400, window: '1m' });
  const { findings } = await probe(
    { apiKey: account.testKey, baseUrl, fetch, onWarning: () => {} },
    {
      foreignPayment: await payAs(mock, sandbox.accounts.create({ balances: { USD: '10.00' } }).testKey),
      burst: 600,
      webhookTimeout,
      webhooks: async (given) => {
        sink = given;
        return async () => {};
      },
      clock: {
        now: () => sandbox.clock.now().getTime(),
        sleep: (milliseconds) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
      },
    },
  );
  return { findings, mock };
}

async function payAs({ baseUrl, fetch }: Mock, key: string): Promise<string> {
  const response = await fetch(
    new Request(`${baseUrl}/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' }),
    }),
  );
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

/** Returns the wrong findings. */
function findErrors(findings: readonly Finding[], { sandbox }: Mock): string[] {
  const profile = sandbox.profile.get();
  // A status that no payment has cannot be observed.
  const absent = new Set([
    ...(profile.unknownStatus === 'none' || profile.transitions === 'skip' ? ['under_review'] : []),
    ...(profile.transitions === 'skip' ? ['processing'] : []),
  ]);
  const events = profile.events.filter((status) => !absent.has(status));
  const actual: Readonly<Record<string, unknown>> = { ...profile, events };
  return findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    if (state === 'unknown') return [];
    const isCorrect = state === 'found' && isDeepStrictEqual(finding.value, actual[setting]);
    return isCorrect ? [] : [`${setting} is ${JSON.stringify(actual[setting])}, but ${state}: ${evidence}`];
  });
}

describe('the probe', () => {
  it('examines every setting once', async () => {
    const examined = experiments.flatMap((experiment) => experiment.settings);
    expect(examined.toSorted()).toEqual(Object.keys(settings).toSorted());
    const { findings } = await probeMock({});
    expect(findings.map(({ setting }) => setting)).toEqual(examined);
  });

  it.each(single)('finds the value of %s', async (name, profile) => {
    // The second retry of a webhook is after 5 min.
    const { findings, mock } = await probeMock(profile, 360_000);
    expect(findErrors(findings, mock)).toEqual([]);
    const open = findings.filter(({ state }) => state !== 'found').map(({ setting }) => setting);
    expect(open.toSorted()).toEqual((unobservable[name] ?? []).toSorted());
  });

  it.each(pairwise)('has no wrong finding for the combination of row %i', async (_, profile) => {
    const { findings, mock } = await probeMock(profile);
    expect(findErrors(findings, mock)).toEqual([]);
  });
});
