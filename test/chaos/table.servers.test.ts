import { readFile } from 'node:fs/promises';
import { describe, expect, inject, it } from 'vitest';
import { runTable } from './table.ts';

/** Returns the column of each application of a table, with the names of the scenarios. */
function readColumns(table: string): Map<string, string[]> {
  const [names = '', cells = ''] = table.split('\n\n');
  const rows = cells.split('\n').slice(1);
  const width = Math.max(...rows.map((row) => /^\S+/.exec(row)?.[0].length ?? 0));
  return new Map(
    names.split('\n').map((line, index) => {
      const start = width + 3 * index;
      const column = rows.map((row) => `${row.slice(0, width).trim()} ${row.slice(start, start + 3).trim()}`);
      return [line.trim().split(' ')[1] ?? '', column];
    }),
  );
}

// Each application is killed and started ten times. All take ten minutes: every night.
describe('the table of chaos', { timeout: 3_600_000 }, () => {
  it('shows the mistakes of applications, and none of a correct one', async () => {
    const golden = readColumns(await readFile(new URL('table.golden.txt', import.meta.url), 'utf8'));
    const isWhole = inject('runFactor') > 1;
    const tables: string[] = [];
    for (const wanted of isWhole ? [''] : ['/application', 'key']) tables.push(await runTable(wanted));
    const shown = tables.flatMap((table) => [...readColumns(table)]);
    expect(shown).toHaveLength(isWhole ? golden.size : 6);
    expect(shown).toEqual(shown.map(([name]) => [name, golden.get(name)]));
  });
});
