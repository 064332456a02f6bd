// All behaviors of the client with every value of every profile setting (docs/contract.md#profile-settings), and with rows
// that contain every pair of values.
import { describe, expect, inject, it } from 'vitest';
import { namedRows } from '@service/internal';
import { listChoices, settingDocs } from '../scripts/profile-docs.ts';
import { defaultProfile } from '../packages/mock/src/domain/profile.ts';
import { behaviors } from './behaviors/all.ts';
import { readLagBehaviors } from './behaviors/unknown-outcomes.ts';
import type { Settings } from './behaviors/context.ts';
import { findFailures } from './behaviors/failures.ts';
import { coverPairs } from './support/pairwise.ts';
import { createRandomProfile, listValues, settingNames } from './support/random-profile.ts';
import { spread } from './support/runs.ts';

/** The values of a setting that have names, or of each of its fields, with the other fields as they are by default. */
const choicesOf = (name: string): unknown[] =>
  listChoices(name).flatMap(({ field, values }) =>
    values.slice(1).map((value) => (field === undefined ? value : { [field]: value })),
  );
/** The settings whose documented example leaves the client all its behaviors. */
const withExample = /^(?:refusals|headers)$/;
/** The most values of a setting besides those with names. */
const MOST_VALUES = 3;

/** The values of each setting, the default first: the named and documented ones, those of its fields, and random ones. */
const settings: Readonly<Record<string, readonly unknown[]>> = Object.fromEntries(
  settingNames.map((name) => {
    const examples = withExample.test(name) ? [settingDocs[name]?.example] : [];
    const values = [...choicesOf(name), ...examples, ...listValues(name, MOST_VALUES)];
    // Most behaviors read immediately after a create; the others run below.
    const texts = new Set(name === 'readLag' ? [] : values.map((value) => JSON.stringify(value)));
    texts.delete(JSON.stringify(defaultProfile[name]));
    return [name, [defaultProfile[name], ...[...texts].map((text) => JSON.parse(text) as unknown)]];
  }),
);
const rows = coverPairs(settings);

const single = Object.entries(settings).flatMap(([name, values]) =>
  values
    .slice(1)
    .map((value): [string, Settings] => [`${name}: ${JSON.stringify(value)}`, { [name]: value }]),
);
/** All rows take a minute: a third of them run here, and all every night. */
const pairwise = spread(
  rows.map((row, index): [number, Settings] => [
    index,
    Object.fromEntries(Object.entries(row).map(([name, at]) => [name, settings[name]?.[at]])),
  ]),
  3,
);

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
  const lags = [
    {},
    { payments: '300ms' },
    { balance: '400ms' },
    { transactions: '700ms' },
    { payments: '20s', balance: '20s', transactions: '50s' },
  ];
  const rowExamples = new Set([...Object.keys(namedRows), ...(settings.rows ?? [])]);
  const shapes = [...rowExamples].flatMap((examples) =>
    lags.map((readLag): Settings => ({ readLag, rows: examples }) as Settings),
  );
  const debits = settings.debitAt?.map((debitAt) => ({ debitAt, readLag: lags.at(-1) }) as Settings) ?? [];
  it.each([...shapes, ...debits].map((profile) => [JSON.stringify(profile), profile] as const))(
    'reconciles creates with %s',
    async (_, profile) => {
      expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
    },
  );
});
