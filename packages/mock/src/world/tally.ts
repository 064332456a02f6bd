/** Finds rows by their class without going through all of them: the newest, the nth, how many there are. */
export interface Tally {
  /** Adds the next row. */
  readonly add: (kind: number) => void;
  /** Gives a row another class. */
  readonly change: (row: number, kind: number) => void;
  /** Counts the rows of any of some classes. */
  readonly count: (kinds: readonly number[]) => number;
  /** Lists rows of any of some classes, newest first, `skip` of them left out at the start. */
  readonly list: (kinds: readonly number[], range: Range) => number[];
}

/** Says which of the matching rows to list. */
export interface Range {
  readonly skip: number;
  readonly take: number;
  /** Leaves out this row and all after it. */
  readonly before?: number | undefined;
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
  { skip, take, before = Number.POSITIVE_INFINITY }: Range,
): number[] {
  const found: number[] = [];
  let left = skip;
  for (let index = blocks.length - 1; index >= 0 && found.length < take; index -= 1) {
    const block = blocks[index];
    const end = Math.min(BLOCK_SIZE, before - index * BLOCK_SIZE);
    if (block === undefined || end <= 0) continue;
    // A whole block that is left out is only counted.
    const isCut = end < BLOCK_SIZE;
    const matching = isCut ? 0 : sum(block.counts, kinds);
    if (isCut || matching > left) {
      const rows = listBlock(block, kinds, end);
      for (const row of rows.slice(left, left + take - found.length)) found.push(index * BLOCK_SIZE + row);
      left = Math.max(0, left - rows.length);
    } else left -= matching;
  }
  return found;
}

/** Lists the matching rows of a block up to an end, newest first. */
function listBlock({ kinds }: Block, wanted: readonly number[], end: number): number[] {
  const rows: number[] = [];
  for (let row = end - 1; row >= 0; row -= 1) if (wanted.includes(kinds[row] ?? NO_ROW)) rows.push(row);
  return rows;
}
