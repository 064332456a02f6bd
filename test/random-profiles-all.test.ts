// The client under 500 random mixtures of profile settings.
import { describe, expect, it } from 'vitest';
import { findFailures } from './behaviors/failures.ts';
import { readLagBehaviors } from './behaviors/unknown-outcomes.ts';
import { createRandomProfile } from './support/random-profile.ts';

const seeds = Array.from({ length: 500 }, (_, seed) => seed);

describe('the client with 500 random profiles', () => {
  it.each(seeds)('has all behaviors with mixture %i', async (seed) => {
    expect(await findFailures(createRandomProfile(seed))).toEqual([]);
  });
});

describe('reconcile with 500 random profiles whose reads lag behind', () => {
  it.each(seeds)('finds a payment that exists, or cannot tell, with mixture %i', async (seed) => {
    const profile = createRandomProfile(seed, { hasReadLag: true });
    expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
  });
});
