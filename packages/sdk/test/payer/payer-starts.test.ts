import { describe, expect, it } from 'vitest';
import { payWithStops, start } from './kill-payers.ts';
import type { StoreKind } from './open-store.ts';
import { startDatabase } from './start-database.ts';

const kinds: readonly StoreKind[] = ['sqlite', 'postgres'];

describe('two processes that create the tables of one store at once', () => {
  it.each(kinds)('both start, and make one payment of each line, %s', async (kind) => {
    await startDatabase(kind);
    const given = { kind, idempotency: 'ignored', seed: 1, lines: 6 } as const;
    const figures = await payWithStops(given, async ({ options }) => {
      const runs = await Promise.all([start(options), start(options)].map(({ exit }) => exit));
      for (const { code, error } of runs) expect({ code, error }).toEqual({ code: 0, error: undefined });
    });
    expect(figures).toMatchObject({ created: 6, twice: 0, wrong: 0, lost: 0, conflicts: 0 });
  });
});
