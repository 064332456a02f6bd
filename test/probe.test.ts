// Findings of the probe with every value of every profile setting (docs/contract.md#profile-settings), and with rows that
// contain every pair of values. A finding is correct or `unknown`.
import { isDeepStrictEqual } from 'node:util';
import { computeExactFee, findFeeRule, readPercent, toMicro } from '@service/internal';
import { templateDocs } from '../packages/internal/src/profile-docs/templates.ts';
import { createMock, defaultProfile, type Mock, type Profile, profileSettings } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { type Finding, probe, type WebhookSink } from '@service/probe';
import { computeRate } from '../packages/mock/src/domain/rates.ts';
import { experiments } from '../packages/probe/src/experiments.ts';
import { agrees, behaviorValues } from './support/behavior-values.ts';
import { coverPairs } from './support/pairwise.ts';

type Settings = Partial<Profile>;

/**
 * The settings that exist as templates only. Two templates can give the same responses, so that the tests of learned
 * templates compare the responses of mocks that play them (packages/probe/test/shapes.test.ts).
 */
const templates = Object.keys(templateDocs);

const settings: Readonly<Record<string, readonly unknown[]>> = {
  ...profileSettings,
  ...behaviorValues,
  events: [
    ['pending', 'processing', 'under_review', 'completed', 'failed'],
    ['completed', 'failed'],
    ['completed'],
    [],
  ],
  fees: [
    [{ percent: '0.5' }],
    [{ percent: '1', minimum: '1.00', maximum: '50.00' }],
    [
      { from: 'EUR', flat: '2.50' },
      { to: 'GBP', percent: '0.25' },
      { percent: '0.5', flat: '3.00' },
    ],
    [{ flat: '0.75' }],
    [{ percent: '0.4', flat: '0.25', rounding: 'up' }],
  ],
  rates: [
    {},
    { pairs: { 'USD/EUR': '0.9', 'USD/GBP': '0.7' }, spread: '0.002' },
    { moves: { by: '0.01', every: '4s' } },
  ],
  currencies: ['default', ['EUR', 'GBP', 'JPY', 'NGN', 'USD']],
  amountLimits: [
    { minimum: '0.01', maximum: '999999999.99' },
    { minimum: '1.00', maximum: '2000000.00' },
    { minimum: '0.35', maximum: '1234567890.12' },
  ],
  textLimit: [255, 140, 3000],
  extraStatuses: [[]],
  wallets: ['default', { JPY: '0.00', USD: '2500.50' }],
  deprecation: [
    'none',
    { deprecated: '2026-01-01T00:00:00.000Z', sunset: '2027-01-01T00:00:00.000Z', link: '/news' },
  ],
};

/** Returns the settings that a client cannot observe with a profile, whose other settings have their default. */
function listUnobservable(name: string, { debitAt = 'create', outcomes }: Settings): string[] {
  return [
    ...(unobservable[name] ?? []),
    ...(debitAt === 'create' ? ['hold'] : []),
    // Other payments than those of the probe can have one.
    'extraStatuses',
    // The default rules have more accounts than the probe tries.
    ...(outcomes === undefined || outcomes === defaultProfile.outcomes ? ['outcomes'] : []),
    ...(outcomes === undefined || outcomes.some(({ outcome }) => outcome === 'return')
      ? []
      : ['returnRefund']),
  ].toSorted();
}

/** The settings that a client cannot observe with a value. */
const unobservable: Readonly<Record<string, readonly string[]>> = {
  'errorShape: "bare"': ['modeOn401'],
  'errorShape: "html"': ['modeOn401'],
  'feeMode: "inRate"': ['refund', 'returnRefund'],
  'feeMode: "none"': ['fees', 'refund', 'returnRefund'],
  // No failed payment had been debited.
  'debitAt: "completed"': ['refund'],
  'rateLimitHeaders: "none"': ['retryAfter'],
  'transitions: "skip"': ['unknownStatus'],
  'retrySchedule: "none"': ['ack', 'redelivery', 'retrySchedule'],
  'pagination: "cursor"': ['pastEnd'],
  'idempotency: "ignored"': ['replayStatus'],
  'idempotency: "conflict"': ['replayStatus'],
  'events: []': ['ack', 'deliveryFaults', 'events', 'retrySchedule', 'redelivery'],
};

const single = Object.entries(settings).flatMap(([name, values]) =>
  values.map((value): [string, Settings] => [`${name}: ${JSON.stringify(value)}`, { [name]: value }]),
);

/** Values that a client can observe only with another setting. */
const combined: [string, Settings][] = [
  ['hold: "none" of a late debit', { hold: 'none', debitAt: 'processing' }],
  ['hold: "none" with a fee on top', { hold: 'none', debitAt: 'processing', feeMode: 'onTop' }],
  ['hold: "reserve" with a fee on top', { debitAt: 'processing', feeMode: 'onTop' }],
];
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
    start: '2026-01-31T12:00:00Z',
    seed: 42,
    profile,
    fetch: async (request) =>
      new Response(null, { status: sink!.record(new Uint8Array(await request.arrayBuffer())) }),
  });
  const { account, sandbox, baseUrl, fetch } = mock;
  sandbox.webhooks.setEndpoint({ account, mode: 'test', url: 'http://localhost:9/hooks' });
  if (profile.rateLimit === 'none' || profile.rateLimit === undefined)
    sandbox.rateLimit.set({ requests: 1000, window: '1m' });
  const { findings } = await probe(
    { apiKey: account.testKey, baseUrl, fetch, onWarning: () => {} },
    {
      foreignPayment: await payAs(mock, sandbox.accounts.create({ balances: { USD: '100.00' } }).testKey),
      burst: 1200,
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
      body: JSON.stringify({ from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'A' }),
    }),
  );
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

/** Returns whether two fee schedules give the same fees for the currencies that the probe asks for. */
function hasEqualFees(found: Profile['fees'], actual: Profile): boolean {
  const { fees, feeMode } = actual;
  const pairs = [
    ['USD', 'EUR'],
    ['USD', 'GBP'],
    ['EUR', 'USD'],
  ] as const;
  return pairs.every(([from, to]) => {
    const [one, other] = [findFeeRule(found, from, to), findFeeRule(fees, from, to)];
    if (feeMode === 'inside' || feeMode === 'onTop')
      return [1_000n, 12_345n, 99_999n, 1_234_567n, 9_999_999_999n].every(
        (amount) =>
          computeExactFee(one, amount) === computeExactFee(other, amount) &&
          (other?.rounding === undefined || one?.rounding === other.rounding),
      );
    // Without a visible fee, the margins of both directions and the spread only show together, or a quote without an
    // exchange shows a margin.
    const kept = 1 - Number(one?.percent ?? 0) / 100;
    if (actual.sameCurrency === 'allow')
      return Math.abs(kept - readRate(from, from, actual) / 10 ** 6) < 0.000_02;
    return from !== 'USD' || to !== 'EUR' || Math.abs(kept ** 2 - computeKept(actual)) < 0.000_02;
  });
}

/** Returns the rate of a pair without its changes over time. */
function readRate(from: string, to: string, profile: Profile): number {
  const rule = profile.feeMode === 'inRate' ? findFeeRule(profile.fees, from, to) : undefined;
  const margin = rule === undefined ? 0n : readPercent(rule);
  return Number(computeRate({ from, to, amount: 100_000n, margin }, profile, { now: 0, draw: () => 0.5 }));
}

/** Returns the share of an amount that is left after an exchange from USD to EUR and back. */
function computeKept(profile: Profile): number {
  return (readRate('USD', 'EUR', profile) * readRate('EUR', 'USD', profile)) / 10 ** 12;
}

/** Returns whether the found rates are those of the actual ones, and change in the same way. */
function hasEqualRates(found: Profile['rates'], actual: Profile): boolean {
  const { moves } = actual.rates;
  const isEqual = Object.entries(found.pairs ?? {}).every(([pair, text]) => {
    const [from = '', to = ''] = pair.split('/');
    const rate = readRate(from, to, actual);
    return Math.abs(Number(toMicro(text)) - rate) <= rate * Number(moves?.by ?? 0) * 1.02;
  });
  return isEqual && (moves === undefined ? found.moves === undefined : found.moves?.every === moves.every);
}

/** Returns whether a found value gives the responses of the actual one. */
function isEquivalent(setting: string, value: unknown, profile: Profile): boolean {
  const { feeMode } = profile;
  if (setting === 'rates') return hasEqualRates(value as Profile['rates'], profile);
  if (setting === 'fees') return hasEqualFees(value as Profile['fees'], profile);
  if (setting === 'replayStatus' && profile.replayStatus === profile.createStatus) return value === 'created';
  // A malformed body that counts as an empty object is no malformed body before the key.
  if (setting === 'bodyChecked' && profile.malformedBody === 'empty') return value === 'afterKey';
  // A payment that skips `processing` is debited when it is completed.
  if (setting === 'debitAt' && profile.transitions === 'skip' && profile.debitAt === 'processing')
    return value === 'completed';
  // A schedule without a percentage is no margin in the rate. Only a quote without an exchange tells a margin from a spread.
  if (setting === 'feeMode' && (feeMode === 'none' || feeMode === 'inRate')) {
    const isMargin =
      profile.sameCurrency === 'allow'
        ? readRate('USD', 'USD', profile) < 10 ** 6
        : computeKept(profile) < 0.9995;
    return value === (isMargin ? 'inRate' : 'none');
  }
  return isDeepStrictEqual(value, profile[setting as keyof Profile]);
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
  // Without a limit of the profile, the mock has the one of this test.
  const rateLimit =
    profile.rateLimit === 'none' ? { requests: 1000, window: '60s' as const } : profile.rateLimit;
  const actual = { ...profile, events, rateLimit };
  return findings.flatMap((finding) => {
    const { setting, state, evidence } = finding;
    if (state === 'unknown' || templates.includes(setting)) return [];
    const isCorrect =
      state === 'found' && (agrees(finding, profile) || isEquivalent(setting, finding.value, actual));
    return isCorrect ? [] : [`${setting} is ${JSON.stringify(actual[setting])}, but ${state}: ${evidence}`];
  });
}

describe('the probe', () => {
  it('examines every setting once', async () => {
    const examined = experiments.flatMap((experiment) => experiment.settings);
    expect(examined.toSorted()).toEqual([...Object.keys(settings), ...templates].toSorted());
    const { findings } = await probeMock({});
    expect(findings.map(({ setting }) => setting)).toEqual(examined);
  });

  it.each([...single, ...combined])('finds the value of %s', async (name, profile) => {
    // The second retry of a webhook is after 5 min.
    const { findings, mock } = await probeMock(profile, 360_000);
    expect(findErrors(findings, mock)).toEqual([]);
    const open = findings.filter(({ state, setting }) => state !== 'found' && !templates.includes(setting));
    expect(open.map(({ setting }) => setting).toSorted()).toEqual(listUnobservable(name, profile));
  });

  it.each(pairwise)('has no wrong finding for the combination of row %i', async (_, profile) => {
    const { findings, mock } = await probeMock(profile);
    expect(findErrors(findings, mock)).toEqual([]);
  });
});
