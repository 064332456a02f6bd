import { describe, expect, inject, it } from 'vitest';
import { findFailures } from './behaviors/failures.ts';
import { readLagBehaviors } from './behaviors/unknown-outcomes.ts';
import { createRandomProfile } from './support/random-profile.ts';

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
