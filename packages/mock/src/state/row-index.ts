/** An index of rows by kind, for counting and paging without a full scan. */
export interface RowIndex {
  /** Adds the next row. */
  readonly add: (kind: number) => void;
  /** Changes the kind of a row. */
  readonly change: (row: number, kind: number) => void;
  /** Returns the number of rows of some kinds. */
  readonly count: (kinds: readonly number[]) => number;
  /** Returns rows of some kinds, newest first, after skipping `skip` of them. */
  readonly list: (kinds: readonly number[], range: Range) => number[];
}

/** A range of the matching rows. */
interface Range {
  readonly skip: number;
  readonly take: number;
  /** Excludes this row and all later ones. */
  readonly before?: number | undefined;
}

/** The kind of each row, and the number of rows of each kind per block and per group of blocks. */
interface BlockIndex {
  readonly blocks: Uint8Array[];
  readonly blockCounts: Uint16Array[];
  readonly groupCounts: Uint32Array[];
  readonly totals: Float64Array;
}

const BLOCK_SIZE = 1024;
const GROUP_SIZE = 64 * BLOCK_SIZE;
const NO_ROW = 255;

/** Creates an empty index. Kinds are numbers below `kinds`, at most 255. */
export function createRowIndex(kinds: number): RowIndex {
  const index: BlockIndex = { blocks: [], blockCounts: [], groupCounts: [], totals: new Float64Array(kinds) };
  let rows = 0;
  return {
    add(kind) {
      if (rows % BLOCK_SIZE === 0) {
        index.blocks.push(new Uint8Array(BLOCK_SIZE).fill(NO_ROW));
        index.blockCounts.push(new Uint16Array(kinds));
      }
      if (rows % GROUP_SIZE === 0) index.groupCounts.push(new Uint32Array(kinds));
      setKind(index, rows, kind);
      countRow(index, { row: rows, kind, by: 1 });
      rows += 1;
    },
    change(row, kind) {
      const before = index.blocks[Math.floor(row / BLOCK_SIZE)]?.[row % BLOCK_SIZE] ?? kind;
      countRow(index, { row, kind: before, by: -1 });
      setKind(index, row, kind);
      countRow(index, { row, kind, by: 1 });
    },
    count: (wanted) => sumCounts(index.totals, wanted),
    list: (wanted, range) => listNewest(index, rows, { wanted, range }),
  };
}

function setKind({ blocks }: BlockIndex, row: number, kind: number): void {
  const block = blocks[Math.floor(row / BLOCK_SIZE)];
  if (block !== undefined) block[row % BLOCK_SIZE] = kind;
}

function countRow(index: BlockIndex, { row, kind, by }: { row: number; kind: number; by: 1 | -1 }): void {
  const counts = [
    index.blockCounts[Math.floor(row / BLOCK_SIZE)],
    index.groupCounts[Math.floor(row / GROUP_SIZE)],
    index.totals,
  ];
  for (const each of counts) if (each !== undefined) each[kind] = (each[kind] ?? 0) + by;
}

function sumCounts(counts: ArrayLike<number> | undefined, kinds: readonly number[]): number {
  let total = 0;
  for (const kind of kinds) total += counts?.[kind] ?? 0;
  return total;
}

interface Search {
  readonly wanted: readonly number[];
  readonly range: Range;
}

/** Searches from the newest row. Skips whole groups and blocks without a result and scans the other ones. */
function listNewest(index: BlockIndex, rows: number, { wanted, range }: Search): number[] {
  const found: number[] = [];
  const isWanted = new Uint8Array(NO_ROW + 1);
  for (const kind of wanted) isWanted[kind] = 1;
  let left = range.skip;
  let row = Math.min(rows, range.before ?? rows) - 1;
  while (row >= 0 && found.length < range.take) {
    const passed = skipBlock(index, row, { wanted, left });
    if (passed !== undefined) {
      left -= passed.matching;
      row = passed.row;
    } else {
      const kind = index.blocks[Math.floor(row / BLOCK_SIZE)]?.[row % BLOCK_SIZE] ?? NO_ROW;
      if (isWanted[kind] === 1) {
        if (left > 0) left -= 1;
        else found.push(row);
      }
      row -= 1;
    }
  }
  return found;
}

/** Skips the group or block that ends at a row, if none of its rows belongs to the result. */
function skipBlock(
  index: BlockIndex,
  row: number,
  { wanted, left }: { wanted: readonly number[]; left: number },
): { row: number; matching: number } | undefined {
  for (const [size, counts] of [
    [GROUP_SIZE, index.groupCounts],
    [BLOCK_SIZE, index.blockCounts],
  ] as const) {
    // The newest group and block are incomplete, so they do not end at a boundary.
    if ((row + 1) % size !== 0) continue;
    const matching = sumCounts(counts[Math.floor(row / size)], wanted);
    if (matching <= left) return { row: row - size, matching };
  }
  return undefined;
}
