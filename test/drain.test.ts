import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDrain } from './support/drain.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drain-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a mock that ends under 32 clients', () => {
  it('answers quick and slow clients, ends event streams first, and exits 0', async () => {
    const file = join(folder, 'data');
    const clients = { quick: 24, slow: 8, stalledBodies: 0, stalledResponses: 0 };
    const { answered, refused, cut, ...report } = await runDrain({ file, ...clients, grace: '20s' });
    // On a busy machine the mock can close a connection before it reads the first bytes of a request.
    expect(cut).toBeOneOf([0, 1]);
    expect(report).toEqual({
      rejected: 0,
      reportedCut: 0,
      exitCode: 0,
      hasStreamEnded: true,
      wrongPayments: 0,
      cutPayments: 0,
      wrongAfterRetry: 0,
    });
    expect(answered).toBeGreaterThan(3 * 24 + 8);
    expect(refused).toBe(24);
  });

  it('counts each request that it cuts, and exits 5', async () => {
    const file = join(folder, 'data');
    const clients = { quick: 20, slow: 4, stalledBodies: 4, stalledResponses: 4 };
    const report = await runDrain({ file, ...clients, grace: '2s' });
    expect(report).toMatchObject({
      exitCode: 5,
      hasStreamEnded: true,
      rejected: 0,
      wrongPayments: 0,
      wrongAfterRetry: 0,
    });
    expect(report.reportedCut).toBeGreaterThanOrEqual(8);
    // The mock cannot report a request whose first bytes it has not read before it closes the connection.
    expect(report.cut - report.reportedCut).toBeOneOf([0, 1]);
    expect(report.cutPayments).toBeGreaterThanOrEqual(4);
  });
});
