import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowIndex } from '../src/state/row-index.ts';
import { runs } from '../../../test/support/runs.ts';

describe('the row index', () => {
  it('lists and counts like a full scan after any additions and changes', () => {
    const kind = fc.nat(3);
    const rows = fc.array(kind, { maxLength: 4000, size: 'max' });
    const changes = fc.array(fc.tuple(fc.nat(3999), kind), { maxLength: 200 });
    const query = fc.record({
      kinds: fc.uniqueArray(kind),
      skip: fc.nat(3000),
      take: fc.integer({ min: 1, max: 100 }),
      before: fc.option(fc.nat(4000), { nil: undefined }),
    });
    const property = fc.property(
      rows,
      changes,
      fc.array(query, { maxLength: 10 }),
      (added, changed, queries) => {
        const rowIndex = createRowIndex(4);
        const plain = [...added];
        for (const each of added) rowIndex.add(each);
        for (const [row, to] of changed) {
          if (row >= plain.length) continue;
          rowIndex.change(row, to);
          plain[row] = to;
        }
        for (const { kinds, skip, take, before } of queries) {
          const matching = plain.flatMap((each, row) => (kinds.includes(each) ? [row] : [])).toReversed();
          expect(rowIndex.count(kinds)).toBe(matching.length);
          const older = matching.filter((row) => before === undefined || row < before);
          expect(rowIndex.list(kinds, { skip, take, before })).toEqual(older.slice(skip, skip + take));
        }
      },
    );
    fc.assert(property, { numRuns: runs(100) });
  });
});
