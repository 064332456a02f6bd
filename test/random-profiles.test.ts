// The client under random mixtures of profile settings: 5, and 50 with `npm run prove`.
import { createMock, defaultProfile } from '@service/mock';
import { describe, expect, inject, it } from 'vitest';
import { findFailures } from './behaviors/failures.ts';
import { readLagBehaviors } from './behaviors/unknown-outcomes.ts';
import { createRandomProfile, settingNames } from './support/random-profile.ts';

const seeds = Array.from({ length: 5 * inject('runFactor') }, (_, seed) => seed);

describe('the client with random profiles', () => {
  it.each(seeds)('has all behaviors with mixture %i', async (seed) => {
    expect(await findFailures(createRandomProfile(seed))).toEqual([]);
  });
});

describe('reconcile with random profiles whose reads lag behind', () => {
  it.each(seeds)('finds a payment that exists, or cannot tell, with mixture %i', async (seed) => {
    const profile = createRandomProfile(seed, { hasReadLag: true });
    expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
  });
});

describe('createRandomProfile', () => {
  const profiles = Array.from({ length: 500 }, (_, seed) => createRandomProfile(seed, { hasReadLag: true }));

  it('chooses valid values for all settings, equal ones for equal seeds', () => {
    expect(settingNames.toSorted()).toEqual(Object.keys(defaultProfile).toSorted());
    for (const profile of profiles) expect(() => createMock({ profile })).not.toThrow();
    expect(profiles[7]).toEqual(createRandomProfile(7, { hasReadLag: true }));
  });
});
