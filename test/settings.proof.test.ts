// All behaviors of the client with every value of every profile setting (docs/contract.md#profile-settings), and with rows
// that contain every pair of values.
import { describe, expect, inject, it } from 'vitest';
import { namedErrors, namedPages, namedRows, namedTimestamps } from '@service/internal';
import { type ProfileChoice, profileSettings } from '@service/mock';
import { listChoices, settingDocs } from '../scripts/profile-docs.ts';
import { defaultProfile } from '../packages/mock/src/domain/profile.ts';
import { behaviors } from './behaviors/all.ts';
import { readLagBehaviors } from './behaviors/unknown-outcomes.ts';
import type { Settings } from './behaviors/context.ts';
import { findFailures } from './behaviors/failures.ts';
import { errorBodies, pages } from './support/random-templates.ts';
import { coverPairs } from './support/pairwise.ts';
import { createRandomProfile } from './support/random-profile.ts';

type BehaviorValues = Pick<
  Required<ProfileChoice>,
  'durations' | 'outcomes' | 'retrySchedule' | 'deliveryFaults' | 'rateLimit' | 'latency' | 'readLag'
>;

/** Values of the settings for behavior that are not a list of choices, the default first. */
const behaviorValues: {
  readonly [Name in keyof BehaviorValues]: readonly BehaviorValues[Name][];
} = {
  durations: [defaultProfile.durations, { pending: '500ms', processing: ['1s', '4s'], completed: '2s' }],
  outcomes: [
    defaultProfile.outcomes,
    [
      { account: { prefix: 'SIM-FAIL' }, outcome: 'fail_early' },
      { account: { suffix: 'RETURN' }, outcome: 'return' },
    ],
    [{ account: { equals: 'SIM-FAIL' }, outcome: 'fail' }],
  ],
  retrySchedule: ['default', 'none', ['3s', '20s']],
  rateLimit: ['none', { requests: 500, window: '30s' }],
  readLag: [{}, { payments: '300ms' }, { balance: '400ms' }, { transactions: '700ms' }],
  // Real time, which a manual clock does not show.
  latency: [0],
  deliveryFaults: ['none', { duplicates: 0.3 }, { reorder: 0.5 }, { delay: ['1s', '2s'] }],
};

/** Settings with templates besides their named values. */
const templates = {
  timestamps: [...Object.keys(namedTimestamps), { digits: 6, zone: '+01:00' }],
  transactionShape: [
    ...Object.keys(namedRows),
    [
      {
        of: 'any',
        row: {
          id: '{number}',
          type: '{type}',
          status: '{status}',
          currency: '{currency}',
          amount: '{amount}',
          payment_id: '{payment_id}',
          reference: '{purpose}',
          created_at: '{created_at digits=6 zone=Z}',
        },
      },
    ],
  ],
  pagination: [...Object.keys(namedPages), ...pages.filter(({ by }) => by === undefined)],
  errorShape: [...Object.keys(namedErrors), { body: errorBodies[0] }],
};

/** Each value of the fields of a setting, or of one of them, with the others as they are by default. */
function fieldsOf(name: string, only?: string): unknown[] {
  return listChoices(name).flatMap(({ field = '', values }) =>
    only === undefined || field === only ? values.slice(1).map((value) => ({ [field]: value })) : [],
  );
}
const fields = Object.fromEntries(
  ['successStatus', 'paths', 'requestBody', 'debitAt', 'refund', 'listQuery'].map((name) => [
    name,
    [{}, ...fieldsOf(name)],
  ]),
);

/** The default and the documented example of each setting that is no list of values. */
const examples = Object.entries(settingDocs).flatMap(([name, { example }]) =>
  example === undefined ? [] : [[name, [defaultProfile[name as keyof typeof defaultProfile], example]]],
);
const settings: Readonly<Record<string, readonly unknown[]>> = {
  ...profileSettings,
  ...(Object.fromEntries(examples) as Record<string, readonly unknown[]>),
  ...fields,
  ...templates,
  ...behaviorValues,
  // Most behaviors read immediately after a create; the others run below.
  readLag: [defaultProfile.readLag],
  // Some behaviors expect events without a delay.
  deliveryFaults: behaviorValues.deliveryFaults.filter((value) => value === 'none' || !value.delay),
  // The behaviors use the magic values.
  outcomes: [
    defaultProfile.outcomes,
    [{ amount: { suffix: '.99' }, outcome: 'fail' }, ...defaultProfile.outcomes],
  ],
  extraStatuses: [
    [],
    [
      { status: 'in_review', after: 'pending' },
      { status: 'held', after: 'pending', amount: { from: '5000.00' } },
      { status: 'settling', after: 'processing', duration: ['1s', '2s'], webhook: false },
    ],
  ],
  events: [['pending', 'processing', 'completed', 'failed'], ['completed', 'failed'], []],
  fees: [
    [{ percent: '0.5' }],
    [],
    [{ percent: '0.5', mode: 'onTop' }],
    [{ percent: '0.5', mode: 'inRate' }],
    [{ percent: '1', minimum: '1.00', maximum: '50.00' }],
    [
      { from: 'EUR', flat: '2.50' },
      { percent: '0.5', flat: '3.00', rounding: 'up' },
    ],
  ],
  rates: [
    {},
    {
      pairs: { 'USD/EUR': '0.9' },
      spread: '0.002',
      moves: { by: '0.01', every: '2s' },
      tiers: [{ from: { EUR: '50.00' }, pairs: { 'USD/EUR': '0.91' }, spread: '0.001' }],
    },
  ],
  amounts: [
    {},
    { minimum: '0.50', maximum: '2000000.00', text: 'accept' },
    ...fieldsOf('amounts', 'precision'),
  ],
  texts: [{}, { limit: 300 }, ...fieldsOf('texts', 'empty'), ...fieldsOf('texts', 'number')],
  currencies: [
    'default',
    ['EUR', 'GBP', 'JPY', 'USD'],
    { case: 'normalise' },
    { codes: ['EUR', 'GBP', 'JPY', 'USD'], same: 'reject' },
  ],
  wallets: ['default', { EUR: '100000.00', USD: '100000.00', GBP: '50.00' }],
  beside: [{}, settingDocs['beside']?.example],
};
const rows = coverPairs(settings);

const single = Object.entries(settings).flatMap(([name, values]) =>
  values
    .slice(1)
    .map((value): [string, Settings] => [`${name}: ${JSON.stringify(value)}`, { [name]: value }]),
);
const pairwise = rows.map((row, index): [number, Settings] => [
  index,
  Object.fromEntries(Object.entries(row).map(([name, at]) => [name, settings[name]?.[at]])),
]);

describe('the client with other profiles', () => {
  it.each(single)(`has all ${behaviors.length} behaviors with %s`, async (_, profile) => {
    expect(await findFailures(profile)).toEqual([]);
  });

  it.each(pairwise)(
    `has all ${behaviors.length} behaviors with the combination of row %i`,
    async (_, profile) => {
      expect(await findFailures(profile)).toEqual([]);
    },
  );
});

const seeds = Array.from({ length: 5 * inject('runFactor') }, (_, seed) => seed);

describe('the client with random profiles', () => {
  it.each(seeds)('has all behaviors with mixture %i', async (seed) => {
    expect(await findFailures(createRandomProfile(seed))).toEqual([]);
  });

  it.each(seeds)('reconciles creates while reads lag behind with mixture %i', async (seed) => {
    const profile = createRandomProfile(seed, { hasReadLag: true });
    expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
  });
});

describe('the client while reads lag behind', () => {
  const lags = [...behaviorValues.readLag, { payments: '20s', balance: '20s', transactions: '50s' }];
  const shapes = templates.transactionShape.flatMap((transactionShape) =>
    lags.map((readLag): Settings => ({ readLag, transactionShape }) as Settings),
  );
  const debits = settings.debitAt?.map((debitAt) => ({ debitAt, readLag: lags.at(-1) }) as Settings) ?? [];
  it.each([...shapes, ...debits].map((profile) => [JSON.stringify(profile), profile] as const))(
    'reconciles creates with %s',
    async (_, profile) => {
      expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
    },
  );
});
