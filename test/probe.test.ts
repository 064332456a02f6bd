// What the probe finds out of a service, under every setting of what the service's document leaves open (contract.md 8) and
// under rows of them in which any two values of any two settings meet: it is right, or says that it cannot tell.
import { isDeepStrictEqual } from 'node:util';
import { createMock, type Mock, type Profile, profileSettings } from '@service/mock';
import { describe, expect, it } from 'vitest';
import type { Bench } from '../packages/cli/src/probe/bench.ts';
import type { Finding } from '../packages/cli/src/probe/finding.ts';
import { createInbox } from '../packages/cli/src/probe/inbox.ts';
import { experiments, probe } from '../packages/cli/src/probe/probe.ts';
import { createAsk, send } from '../packages/cli/src/probe/wire.ts';
import { plan } from '../packages/cli/test/probe-world.ts';
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

/** Lists what cannot be told under a value, since nothing shows it. */
const untold: Readonly<Record<string, readonly string[]>> = {
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

/** Probes a mock of some settings: its clock stands still until the probe waits. */
async function probeMock(
  profile: Settings,
  webhookPatience = plan.webhookPatience,
): Promise<{ findings: readonly Finding[]; mock: Mock }> {
  const inbox = createInbox(() => mock.sandbox.clock.now().getTime());
  const mock: Mock = createMock({
    clock: 'manual',
    seed: 42,
    profile,
    fetch: async (request) =>
      new Response(null, { status: inbox.take(new Uint8Array(await request.arrayBuffer())) }),
  });
  const { account, sandbox } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks' });
  sandbox.rateLimit.set({ requests: 400, window: '1m' });
  const foreign = await payAs(mock, sandbox.accounts.create({ balances: { USD: '10.00' } }).testKey);
  const signal = new AbortController().signal;
  const wire = {
    baseUrl: mock.baseUrl,
    key: account.testKey,
    fetch: mock.fetch,
    signal,
    sleep: (milliseconds: number) => sandbox.clock.advance(`${Math.ceil(milliseconds)}ms`),
    timeout: 5_000,
  };
  const bench: Omit<Bench, 'onReadLag'> = {
    plan: { ...plan, foreign, burst: 600, webhookPatience },
    ask: createAsk(wire),
    askOnce: (path, question = {}) => send(wire, path, question),
    key: account.testKey,
    inbox,
    sleep: wire.sleep,
    signal,
    now: () => sandbox.clock.now().getTime(),
  };
  const { findings } = await probe(bench, { pays: true, onFinding: async () => {} });
  return { findings, mock };
}

async function payAs({ baseUrl, fetch }: Mock, key: string): Promise<string> {
  const answer = await fetch(
    new Request(`${baseUrl}/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' }),
    }),
  );
  const { data } = (await answer.json()) as { data: { id: string } };
  return data.id;
}

/** Lists the settings of which a finding says what is not so. */
function findErrors(findings: readonly Finding[], { sandbox }: Mock): string[] {
  const profile = sandbox.profile.get();
  // Of a status that no payment has, nothing shows.
  const absent = new Set([
    ...(profile.unknownStatus === 'none' || profile.transitions === 'skip' ? ['under_review'] : []),
    ...(profile.transitions === 'skip' ? ['processing'] : []),
  ]);
  const events = profile.events.filter((status) => !absent.has(status));
  const actual: Readonly<Record<string, unknown>> = { ...profile, events };
  return findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    if (state === 'unknown') return [];
    const isRight = state === 'found' && isDeepStrictEqual(finding.value, actual[setting]);
    return isRight ? [] : [`${setting} is ${JSON.stringify(actual[setting])}, and ${state}: ${evidence}`];
  });
}

describe('the probe', () => {
  it('looks at every setting once', async () => {
    const looked = experiments.flatMap((experiment) => experiment.settings);
    expect(looked.toSorted()).toEqual(Object.keys(settings).toSorted());
    const { findings } = await probeMock({});
    expect(findings.map(({ setting }) => setting)).toEqual(looked);
  });

  it.each(single)('finds %s', async (name, profile) => {
    // Long enough for the second retry of a webhook, after 5 min.
    const { findings, mock } = await probeMock(profile, 360_000);
    expect(findErrors(findings, mock)).toEqual([]);
    const open = findings.filter(({ state }) => state !== 'found').map(({ setting }) => setting);
    expect(open.toSorted()).toEqual((untold[name] ?? []).toSorted());
  });

  it.each(pairwise)('says nothing of row %i of the pairs that is not so', async (_, profile) => {
    const { findings, mock } = await probeMock(profile);
    expect(findErrors(findings, mock)).toEqual([]);
  });
});
