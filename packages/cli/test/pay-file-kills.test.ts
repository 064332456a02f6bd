// Runs the built command line in processes that are ended while they pay.
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { payWithKills } from './kill-pay-file.ts';

const common = { seed: 20_260_131, lines: 40 };

describe('service-cli pay --file, ended while it pays', () => {
  it('creates each payment once after SIGKILL, with replayed keys', async () => {
    const figures = await payWithKills({
      ...common,
      kills: runs(3),
      signal: 'SIGKILL',
      idempotency: 'replayed',
    });
    expect(figures).toEqual({
      payments: 40,
      twice: 0,
      wrong: 0,
      created: 40,
      unknown: 0,
      interrupted: [null],
      lastCode: 0,
    });
  });

  it('leaves only payments that were being sent to a person, with other keys', async () => {
    const figures = await payWithKills({
      ...common,
      kills: runs(1),
      signal: 'SIGKILL',
      idempotency: 'ignored',
    });
    expect(figures).toMatchObject({ twice: 0, wrong: 0, interrupted: [null] });
    expect(figures.created + figures.unknown).toBe(40);
    expect(figures.payments).toBeGreaterThanOrEqual(figures.created);
    expect(figures.lastCode).toBe(figures.unknown > 0 ? 3 : 0);
  });

  it('finishes its running requests on SIGINT, exits 75 or 3, and resumes', async () => {
    const figures = await payWithKills({ ...common, kills: 1, signal: 'SIGINT', idempotency: 'replayed' });
    expect(figures).toMatchObject({ payments: 40, twice: 0, wrong: 0, created: 40, unknown: 0, lastCode: 0 });
    expect(figures.interrupted.every((code) => code === 75 || code === 3)).toBe(true);
  });
});
