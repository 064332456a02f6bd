import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDrain } from './support/drain.ts';
import { runs } from './support/runs.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drain-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a mock that ends under load', () => {
  it('answers quick and slow clients, and exits 0', async () => {
    const file = join(folder, 'data');
    const clients = { quick: runs(24), slow: 8, stalledBodies: 0, stalledResponses: 0 };
    const { answered, refused, ...report } = await runDrain({ file, ...clients, grace: '20s' });
    expect(report).toEqual({
      rejected: 0,
      cut: 0,
      reportedCut: 0,
      exitCode: 0,
      wrongPayments: 0,
      cutPayments: 0,
      wrongAfterRetry: 0,
    });
    expect(answered).toBeGreaterThan(3 * runs(24) + 8);
    expect(refused).toBe(runs(24));
  });

  it('counts each request that it cuts, and exits 5', async () => {
    const file = join(folder, 'data');
    const clients = { quick: 20, slow: 4, stalledBodies: 4, stalledResponses: 4 };
    const report = await runDrain({ file, ...clients, grace: '2s' });
    expect(report).toMatchObject({
      exitCode: 5,
      rejected: 0,
      wrongPayments: 0,
      wrongAfterRetry: 0,
    });
    expect(report.cut).toBeGreaterThanOrEqual(8);
    expect(report.reportedCut).toBe(report.cut);
    expect(report.cutPayments).toBeGreaterThanOrEqual(4);
  });
});
