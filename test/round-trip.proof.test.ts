// Round trips of every setting, of fixed mixtures and of random profiles: probing a mock, playing the result, and making the same calls to both.
import type { ProfileChoice } from '@service/mock';
import { describe, expect, inject, it } from 'vitest';
import { formatComparison, share } from './support/judge/compare.ts';
import { createRandomProfile, listValues, settingNames } from './support/random-profile.ts';
import { makeRoundTrip } from './support/round-trip.ts';

/** The least percentage for a mixture, and the least average. */
const LEAST = 50;
const AVERAGE = 96;

/** Profiles without a random choice, which are answered without any difference. */
const mixtures: ProfileChoice[] = [
  {},
  { successStatus: { createPayment: 200 }, numbers: 'string', pagination: 'link', statuses: 'skip' },
];
const values = settingNames.flatMap((name) => listValues(name).map((value) => ({ [name]: value })));
const profiles = [...mixtures, ...values].map((profile) => [JSON.stringify(profile), profile] as const);

describe('a mock that plays the probed profile of a mock with a few settings', () => {
  it.for(profiles)('answers the calls as that one with %s', async ([name, profile], { annotate }) => {
    const { compared, wrong } = await makeRoundTrip(profile);
    await annotate(formatComparison(name, compared));
    expect(compared.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
    expect(share(compared)).toBe(100);
  });
});

describe('a mock that plays the probed profile of a mock with a random profile', () => {
  const shares: number[] = [];
  // 200 with `npm run prove`.
  const seeds = Array.from({ length: 20 * inject('runFactor') }, (_, seed) => seed);

  it.for(seeds)('answers most calls as that one with mixture %i', async (seed, { annotate }) => {
    const { compared, wrong } = await makeRoundTrip(createRandomProfile(seed, { hasReadLag: true }));
    await annotate(formatComparison(`mixture ${seed}`, compared));
    // A difference is that of a setting that the report calls partly explained or unknown.
    expect(wrong).toEqual([]);
    shares.push(share(compared));
    expect(share(compared)).toBeGreaterThanOrEqual(LEAST);
  });

  it('answers as that one on average', () => {
    const average = shares.reduce((sum, each) => sum + each, 0) / shares.length;
    expect(average).toBeGreaterThanOrEqual(AVERAGE);
  });
});
