import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { killAtEachStep, killAtRandom, type KillCase, stopAtEachStep } from './kill-payers.ts';
import { startDatabase } from './start-database.ts';

const cases: readonly (Pick<KillCase, 'kind' | 'idempotency' | 'call'> & { readonly workers: number })[] = [
  { kind: 'sqlite', idempotency: 'replayed', workers: 2, call: 'run' },
  { kind: 'sqlite', idempotency: 'ignored', workers: 2, call: 'run' },
  { kind: 'postgres', idempotency: 'replayed', workers: 2, call: 'run' },
  { kind: 'postgres', idempotency: 'conflict', workers: 2, call: 'run' },
  { kind: 'sqlite', idempotency: 'replayed', workers: 2, call: 'pay' },
  { kind: 'postgres', idempotency: 'ignored', workers: 2, call: 'pay' },
];

describe('a batch whose payers and database are killed', () => {
  it.each(cases)('is paid once, from a $kind store, keys $idempotency, by $call', async (one) => {
    const lines = 8;
    const database = await startDatabase(one.kind);
    const figures = await killAtRandom({ ...one, database, seed: 20_260_131, lines, kills: runs(1) });
    expect(figures).toMatchObject({ twice: 0, wrong: 0, lost: 0, conflicts: 0, abandoned: 0 });
    expect(figures.created + figures.unknown).toBe(lines);
    expect(one.idempotency === 'replayed' ? figures.unknown : 0).toBe(0);
  });
});

/** The steps of two lines take minutes for each store: they run with more than the runs of `npm test`. */
const stepCases = runs(1) > 1 ? cases.filter(({ kind, call }) => kind === 'sqlite' || call === 'run') : [];

describe.each(stepCases)(
  'a batch from a $kind store, keys $idempotency, by $call',
  ({ kind, idempotency, call }) => {
    const given = { kind, idempotency, call, seed: 20_260_131, lines: 2 };
    const none = { twice: 0, wrong: 0, lost: 0 };

    it('is paid once if its payer is killed before or after any step', async () => {
      await startDatabase(kind);
      expect(await killAtEachStep(given)).toMatchObject(none);
    });

    it.each(['worker', 'person'] as const)(
      'is paid once if its payer is suspended past its lease at any step, and then a %s acts',
      async (next) => {
        await startDatabase(kind);
        expect(await stopAtEachStep({ ...given, next })).toMatchObject(none);
      },
    );
  },
);
