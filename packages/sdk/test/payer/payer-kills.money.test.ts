import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { killAtRandom, type KillCase } from './kill-payers.ts';
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
