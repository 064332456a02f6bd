// All behaviors of the client; `settings.proof.test.ts` has every value of every setting, and more random profiles.
import { describe, expect, it } from 'vitest';
import { createRandomProfile } from '../support/random-profile.ts';
import { behaviors } from './all.ts';
import { createContext } from './context.ts';
import { findFailures } from './failures.ts';
import { readLagBehaviors } from './unknown-outcomes.ts';

describe('the client', () => {
  it.each(behaviors)('with the default profile: $name', async ({ run }) => {
    const context = createContext({});
    await run(context);
    expect(context.deviations).toEqual([]);
  });

  it('has all behaviors with a random profile', async () => {
    expect(await findFailures(createRandomProfile(0))).toEqual([]);
  });

  it('finds a payment that exists, or cannot tell, while reads lag behind', async () => {
    const profile = createRandomProfile(0, { hasReadLag: true });
    expect(await findFailures(profile, { checked: readLagBehaviors })).toEqual([]);
  });
});
