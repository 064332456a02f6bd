// All that the client does, under every setting of what the service's document leaves open (contract.md 8) and under rows of
// them in which any two values of any two settings meet.
import { describe, expect, it } from 'vitest';
import { profileSettings } from '../packages/mock/src/domain/profile.ts';
import { behaviours } from './behaviours/all.ts';
import { createWorld, type Settings } from './behaviours/world.ts';
import { coverPairs, listPairs, pairsOf } from './support/pairwise.ts';

const settings: Readonly<Record<string, readonly unknown[]>> = {
  ...profileSettings,
  events: [['pending', 'processing', 'completed', 'failed'], ['completed', 'failed'], []],
  deprecation: ['none', { deprecated: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' }],
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

/** Lists what the client does not do under some settings, and how that shows. */
async function findFailures(profile: Settings): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, run } of behaviours) {
    await run(createWorld(profile)).catch((error: Error) => failures.push(`${name}: ${error.message}`));
  }
  return failures;
}

describe('the client', () => {
  it.each(behaviours)('as usual: $name', async ({ run }) => {
    const world = createWorld({});
    await run(world);
    expect(world.deviations).toEqual([]);
  });

  it.each(single)(`does all ${behaviours.length} things under %s`, async (_, profile) => {
    expect(await findFailures(profile)).toEqual([]);
  });

  it.each(pairwise)(`does all ${behaviours.length} things under row %i of the pairs`, async (_, profile) => {
    expect(await findFailures(profile)).toEqual([]);
  });
});

describe('the rows', () => {
  it('let any two values of any two settings meet', () => {
    const met = new Set(rows.flatMap(pairsOf));
    expect([...listPairs(settings)].filter((pair) => !met.has(pair))).toEqual([]);
    const values = Object.values(settings).map(({ length }) => length);
    const pairs = values.flatMap((one, place) => values.slice(place + 1).map((other) => one * other));
    expect(met.size).toBe(pairs.reduce((sum, count) => sum + count, 0));
  });

  it('are few, and the same each time', () => {
    expect(rows.length).toBeLessThanOrEqual(40);
    expect(coverPairs(settings)).toEqual(rows);
  });

  it('cover what can be checked by hand', () => {
    expect(coverPairs({ a: [1, 2], b: [1, 2], c: [1, 2] }).length).toBeLessThanOrEqual(6);
    expect(listPairs({ a: [1, 2], b: [1, 2, 3] }).size).toBe(6);
    expect(pairsOf({ a: 1, b: 0, c: 2 })).toEqual(['a=1 b=0', 'a=1 c=2', 'b=0 c=2']);
  });
});
