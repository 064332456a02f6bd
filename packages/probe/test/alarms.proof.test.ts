import type { ProfileChoice } from '@service/mock';
import { compareProfile, type MeasuredProfile } from '@service/probe';
import { beforeAll, describe, expect, it } from 'vitest';
import { spread } from '../../../test/support/runs.ts';
import { probeService } from './probe-service.ts';

/** A service whose reads are behind, and whose payments take different times. */
const profile: ProfileChoice = {
  readLag: { payments: '450ms', balance: '250ms', transactions: '2400ms' },
  statuses: { pending: ['500ms', '3s'] },
};

const probeSeed = (seed: number, changes: ProfileChoice = {}) =>
  probeService({ profile: { ...profile, ...changes }, seed });

describe('a nightly job that compares a service with its profile', () => {
  let expected: MeasuredProfile;
  beforeAll(async () => {
    expected = (await probeSeed(1)).profile;
  });

  it.each(spread([2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 3))(
    'raises no alarm if the service does not change: run of seed %i',
    async (seed) => {
      const { findings } = await probeSeed(seed);
      expect(compareProfile(findings, expected)).toEqual({ differences: [], unmeasured: [] });
    },
  );

  it.each<[string, ProfileChoice]>([
    ['fees', { fees: { percent: '0.6' } }],
    ['successStatus', { successStatus: { createPayment: 202 } }],
    ['idempotency', { idempotency: 'ignored' }],
    ['refusals', { refusals: { unknown_payment: { status: 403, type: 'permission_error' } } }],
    ['listQuery', { listQuery: { filter: 'ignore' } }],
  ])('names %s if it changed', async (setting, changes) => {
    const { findings } = await probeSeed(2, changes);
    expect(compareProfile(findings, expected).differences.map((one) => one.setting)).toEqual([setting]);
  });
});
