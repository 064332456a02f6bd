/** Finds rows by their class without going through all of them: the newest, the nth, how many there are. */
export interface RowIndex {
  /** Adds the next row. */
  readonly add: (kind: number) => void;
  /** Gives a row another class. */
  readonly change: (row: number, kind: number) => void;
  /** BlockIndex the rows of any of some classes. */
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

/** Holds the classes of rows, and how many there are of each in every block and in every group of blocks. */
interface BlockIndex {
  readonly blocks: Uint8Array[];
  readonly blockCounts: Uint16Array[];
  readonly groupCounts: Uint32Array[];
  readonly totals: Float64Array;
}

const BLOCK_SIZE = 1024;
const GROUP_SIZE = 64 * BLOCK_SIZE;
const NO_ROW = 255;

/** Creates an empty tally of rows whose classes are numbers below `kinds`, at most 255. */
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

/** Goes down from the newest row, past whole groups and blocks that are left out or hold none, and by rows only in the others. */
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

/** Passes over the group or block that ends at a row, where nothing of it is to be listed. */
function skipBlock(
  index: BlockIndex,
  row: number,
  { wanted, left }: { wanted: readonly number[]; left: number },
): { row: number; matching: number } | undefined {
  for (const [size, counts] of [
    [GROUP_SIZE, index.groupCounts],
    [BLOCK_SIZE, index.blockCounts],
  ] as const) {
    // The newest group and block end early; the rows that are missing in them count for nothing.
    if ((row + 1) % size !== 0) continue;
    const matching = sumCounts(counts[Math.floor(row / size)], wanted);
    if (matching <= left) return { row: row - size, matching };
  }
  return undefined;
}
