/** Finds rows by their class without going through all of them: the newest, the nth, how many there are. */
export interface Tally {
  /** Adds the next row. */
  readonly add: (kind: number) => void;
  /** Gives a row another class. */
  readonly change: (row: number, kind: number) => void;
  /** Counts the rows of any of some classes. */
  readonly count: (kinds: readonly number[]) => number;
  /** Lists rows of any of some classes, newest first, `skip` of them left out at the start. */
  readonly list: (kinds: readonly number[], range: { skip: number; take: number }) => number[];
}

/** Holds the classes of a run of rows, and how many there are of each. */
interface Block {
  readonly kinds: Uint8Array;
  readonly counts: Uint16Array;
}

const BLOCK_SIZE = 1024;
const NO_ROW = 255;

/** Creates an empty tally of rows whose classes are numbers below `kinds`, at most 255. */
export function createTally(kinds: number): Tally {
  const blocks: Block[] = [];
  const totals = new Float64Array(kinds);
  let rows = 0;
  const put = (row: number, kind: number, by: 1 | -1): void => {
    const block = blocks[Math.floor(row / BLOCK_SIZE)];
    if (block === undefined) return;
    block.kinds[row % BLOCK_SIZE] = kind;
    block.counts[kind] = (block.counts[kind] ?? 0) + by;
    totals[kind] = (totals[kind] ?? 0) + by;
  };
  return {
    add(kind) {
      if (rows % BLOCK_SIZE === 0) blocks.push(openBlock(kinds));
      put(rows, kind, 1);
      rows += 1;
    },
    change(row, kind) {
      const before = blocks[Math.floor(row / BLOCK_SIZE)]?.kinds[row % BLOCK_SIZE] ?? kind;
      put(row, before, -1);
      put(row, kind, 1);
    },
    count: (wanted) => sum(totals, wanted),
    list: (wanted, range) => listNewest(blocks, wanted, range),
  };
}

function openBlock(kinds: number): Block {
  return { kinds: new Uint8Array(BLOCK_SIZE).fill(NO_ROW), counts: new Uint16Array(kinds) };
}

function sum(counts: ArrayLike<number>, kinds: readonly number[]): number {
  let total = 0;
  for (const kind of kinds) total += counts[kind] ?? 0;
  return total;
}

function listNewest(
  blocks: readonly Block[],
  kinds: readonly number[],
  { skip, take }: { skip: number; take: number },
): number[] {
  const found: number[] = [];
  let left = skip;
  for (let index = blocks.length - 1; index >= 0 && found.length < take; index -= 1) {
    const block = blocks[index];
    if (block === undefined) break;
    const matching = sum(block.counts, kinds);
    if (matching > left) {
      const rows = listBlock(block, kinds).slice(left, left + take - found.length);
      for (const row of rows) found.push(index * BLOCK_SIZE + row);
    }
    left = Math.max(0, left - matching);
  }
  return found;
}

/** Lists the matching rows of a block, newest first. */
function listBlock({ kinds, counts }: Block, wanted: readonly number[]): number[] {
  const rows: number[] = [];
  let rest = sum(counts, wanted);
  for (let row = BLOCK_SIZE - 1; row >= 0 && rest > 0; row -= 1) {
    if (!wanted.includes(kinds[row] ?? NO_ROW)) continue;
    rows.push(row);
    rest -= 1;
  }
  return rows;
}
