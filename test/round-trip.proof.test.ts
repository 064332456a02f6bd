// Round trips of every setting, of fixed mixtures and of random profiles: probing a mock, playing the result, and making the same calls to both.
import type { ProfileChoice } from '@service/mock';
import { describe, expect, inject, it } from 'vitest';
import { formatComparison, keepDescribed, share } from './support/judge/compare.ts';
import { createRandomProfile, listValues, settingNames } from './support/random-profile.ts';
import { makeRoundTrip } from './support/round-trip.ts';

/** The least percentage of one profile, and the least averages. */
const LEAST = 50;
const AVERAGE_OF_VALUES = 98;
const AVERAGE = 90;

/** Profiles without a random choice, which are answered without any difference. */
const mixtures: ProfileChoice[] = [
  {},
  { successStatus: { createPayment: 200 }, numbers: 'string', pagination: 'link', statuses: 'skip' },
];
const values = settingNames.flatMap((name) => listValues(name).map((value) => ({ [name]: value })));
const profiles = [...mixtures, ...values].map((profile) => [JSON.stringify(profile), profile] as const);

const average = (shares: readonly number[]): number =>
  shares.reduce((sum, each) => sum + each, 0) / shares.length;

describe('a mock that plays the probed profile of a mock with a few settings', () => {
  const shares: number[] = [];

  it.for(profiles)('answers the calls as that one with %s', async ([name, profile], { annotate }) => {
    const { compared, wrong } = await makeRoundTrip(profile);
    const described = keepDescribed(compared);
    await annotate(formatComparison(name, described));
    expect(compared.length).toBeGreaterThan(50);
    // A difference is that of a setting that the report calls partly explained or unknown.
    expect(wrong).toEqual([]);
    shares.push(share(described));
    expect(share(described)).toBeGreaterThanOrEqual(LEAST);
  });

  it('answers as that one on average', () => {
    expect(average(shares)).toBeGreaterThanOrEqual(AVERAGE_OF_VALUES);
  });
});

describe('a mock that plays the probed profile of a mock with a random profile', () => {
  const shares: number[] = [];
  // 200 with `npm run prove`.
  const seeds = Array.from({ length: 20 * inject('runFactor') }, (_, seed) => seed);

  it.for(seeds)('answers most calls as that one with mixture %i', async (seed, { annotate }) => {
    const { compared, wrong } = await makeRoundTrip(createRandomProfile(seed, { hasReadLag: true }));
    const described = keepDescribed(compared);
    await annotate(formatComparison(`mixture ${seed}`, described));
    expect(wrong).toEqual([]);
    shares.push(share(described));
    expect(share(described)).toBeGreaterThanOrEqual(LEAST);
  });

  it('answers as that one on average', () => {
    expect(average(shares)).toBeGreaterThanOrEqual(AVERAGE);
  });
});
