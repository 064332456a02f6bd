// Probing a mock and playing the result gives the same answers. `round-trip-all.test.ts` has all settings and random profiles.
import type { ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { createRandomProfile } from './support/random-profile.ts';
import { makeRoundTrip } from './support/round-trip.ts';

const profiles: ProfileChoice[] = [
  {},
  { successStatus: { createPayment: 200 }, numbers: 'string', pagination: 'link', transitions: 'skip' },
];

describe('a mock that plays the probed profile of another mock', () => {
  it.each(profiles.map((profile) => [JSON.stringify(profile), profile] as const))(
    'answers all calls as that one with %s',
    async (_, profile) => {
      const { compared } = await makeRoundTrip(profile);
      expect(compared.length).toBeGreaterThan(50);
      expect(compared.filter(({ differences }) => differences.length > 0)).toEqual([]);
    },
  );

  it.each([1, 2])(
    'lists each difference as partly explained or unknown with the random profile %i',
    async (seed) => {
      const { compared, wrong } = await makeRoundTrip(createRandomProfile(seed, { hasReadLag: true }));
      expect(compared.length).toBeGreaterThan(50);
      expect(wrong).toEqual([]);
    },
  );
});
