// Runs the built command line in processes that are ended while they pay.
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { childEnv } from '../../../test/support/child-env.ts';
import { runs } from '../../../test/support/runs.ts';
import { end } from './chaos.support.ts';
import { bin, payWithKills } from './kill-pay-file.ts';
import { createFile, listNames, namesOf } from './pay-file.support.ts';
import { toCsv } from './payment-csv.ts';
import { startMockServer } from './support.ts';

// The lines grow with the kills, so that each run is killed before its end.
const common = { seed: 20_260_131, lines: runs(40) };

describe('service-cli pay-file, ended while it pays', () => {
  it('creates each payment once after SIGKILL, with replayed keys', async () => {
    const figures = await payWithKills({
      ...common,
      kills: runs(3),
      signal: 'SIGKILL',
      idempotency: 'replayed',
    });
    expect(figures).toEqual({
      payments: common.lines,
      twice: 0,
      wrong: 0,
      created: common.lines,
      unknown: 0,
      interrupted: [null],
      lastCode: 0,
    });
  });

  it('pays nothing twice after SIGKILL if only the file and the database of its store are moved', async () => {
    const kills = runs(3);
    const given = { ...common, kills, moves: true, signal: 'SIGKILL', idempotency: 'ignored' } as const;
    const figures = await payWithKills(given);
    expect(figures).toMatchObject({ twice: 0, wrong: 0, interrupted: [null] });
    expect(figures.created + figures.unknown).toBe(common.lines);
  });

  it('leaves only payments that were being sent to a person, with other keys', async () => {
    const figures = await payWithKills({
      ...common,
      kills: runs(1),
      signal: 'SIGKILL',
      idempotency: 'ignored',
    });
    expect(figures).toMatchObject({ twice: 0, wrong: 0, interrupted: [null] });
    expect(figures.created + figures.unknown).toBe(common.lines);
    expect(figures.payments).toBeGreaterThanOrEqual(figures.created);
    expect(figures.lastCode).toBe(figures.unknown > 0 ? 3 : 0);
  });

  it('finishes its running requests on SIGINT, exits 75 or 3, and resumes', async () => {
    const figures = await payWithKills({ ...common, kills: 1, signal: 'SIGINT', idempotency: 'replayed' });
    expect(figures).toMatchObject({
      payments: common.lines,
      twice: 0,
      wrong: 0,
      created: common.lines,
      unknown: 0,
      lastCode: 0,
    });
    expect(figures.interrupted.every((code) => code === 75 || code === 3)).toBe(true);
  });
});

describe('service-cli pay-file without room for its store', () => {
  // The limit of a file, in kB: less than the planned payments, and less than the results.
  it.each([16, 50])('ends with an error at %i kB, and continues with more room', async (limit) => {
    await using mockServer = await startMockServer();
    const { path } = createFile(mockServer.env, toCsv(60));
    const words = [process.execPath, bin, 'pay-file', path, '--yes'];
    const run = (command: string) => {
      const argv = ['-c', `${command} exec "$@"`, 'bash', ...words, '--timeout', '1s', '--clock-skew', '1ms'];
      return end(spawn('bash', argv, { env: { ...childEnv, ...mockServer.env } }));
    };
    const full = await run(`ulimit -f ${limit};`);
    expect([2, 3]).toContain(full.code);
    expect(full.stderr).toContain('disk I/O error');
    expect(await run('')).toMatchObject({ code: 0 });
    expect(await listNames(mockServer)).toEqual(namesOf(60));
  });
});
