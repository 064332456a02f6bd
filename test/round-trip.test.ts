// Probing a mock and playing the result gives the same answers. `round-trip-all.test.ts` has all settings and random profiles.
import type { Profile } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { extraRowFields, pages, rowFields } from './support/random-templates.ts';
import { makeRoundTrip, probeProfile, readTransactions } from './support/round-trip.ts';

const profiles: Partial<Profile>[] = [
  {},
  { createStatus: 200, numbers: 'string', pagination: 'link', transitions: 'skip' },
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
});

const readProfiles: Partial<Profile>[] = [
  { transactionShape: 'minimal', pagination: 'cursor' },
  { transactionShape: [{ of: 'any', row: { ...rowFields, ...extraRowFields } }], pagination: pages[0]! },
];

describe('a client with the reader of a probed profile', () => {
  it.each(readProfiles.map((profile) => [JSON.stringify(profile), profile] as const))(
    'reads the transactions of the mock that plays it as those of the probed mock with %s',
    async (_, profile) => {
      const { profile: found } = await probeProfile(profile);
      const rows = await readTransactions(found);
      expect(rows.map(({ type }) => type)).toContain('payment');
      expect(rows).toEqual(await readTransactions(profile));
    },
  );
});
