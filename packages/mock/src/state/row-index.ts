/** Finds rows by their class without going through all of them: the newest, the nth, how many there are. */
export interface RowIndex {
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

/** Holds the classes of rows, and how many there are of each in every block and in every group of blocks. */
interface Shelf {
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
  const shelf: Shelf = { blocks: [], blockCounts: [], groupCounts: [], totals: new Float64Array(kinds) };
  let rows = 0;
  return {
    add(kind) {
      if (rows % BLOCK_SIZE === 0) {
        shelf.blocks.push(new Uint8Array(BLOCK_SIZE).fill(NO_ROW));
        shelf.blockCounts.push(new Uint16Array(kinds));
      }
      if (rows % GROUP_SIZE === 0) shelf.groupCounts.push(new Uint32Array(kinds));
      put(shelf, rows, kind);
      countRow(shelf, { row: rows, kind, by: 1 });
      rows += 1;
    },
    change(row, kind) {
      const before = shelf.blocks[Math.floor(row / BLOCK_SIZE)]?.[row % BLOCK_SIZE] ?? kind;
      countRow(shelf, { row, kind: before, by: -1 });
      put(shelf, row, kind);
      countRow(shelf, { row, kind, by: 1 });
    },
    count: (wanted) => sum(shelf.totals, wanted),
    list: (wanted, range) => listNewest(shelf, rows, { wanted, range }),
  };
}

function put({ blocks }: Shelf, row: number, kind: number): void {
  const block = blocks[Math.floor(row / BLOCK_SIZE)];
  if (block !== undefined) block[row % BLOCK_SIZE] = kind;
}

function countRow(shelf: Shelf, { row, kind, by }: { row: number; kind: number; by: 1 | -1 }): void {
  const counts = [
    shelf.blockCounts[Math.floor(row / BLOCK_SIZE)],
    shelf.groupCounts[Math.floor(row / GROUP_SIZE)],
    shelf.totals,
  ];
  for (const each of counts) if (each !== undefined) each[kind] = (each[kind] ?? 0) + by;
}

function sum(counts: ArrayLike<number> | undefined, kinds: readonly number[]): number {
  let total = 0;
  for (const kind of kinds) total += counts?.[kind] ?? 0;
  return total;
}

interface Search {
  readonly wanted: readonly number[];
  readonly range: Range;
}

/** Goes down from the newest row, past whole groups and blocks that are left out or hold none, and by rows only in the others. */
function listNewest(shelf: Shelf, rows: number, { wanted, range }: Search): number[] {
  const found: number[] = [];
  const isWanted = new Uint8Array(NO_ROW + 1);
  for (const kind of wanted) isWanted[kind] = 1;
  let left = range.skip;
  let row = Math.min(rows, range.before ?? rows) - 1;
  while (row >= 0 && found.length < range.take) {
    const passed = passOver(shelf, row, { wanted, left });
    if (passed !== undefined) {
      left -= passed.matching;
      row = passed.row;
    } else {
      const kind = shelf.blocks[Math.floor(row / BLOCK_SIZE)]?.[row % BLOCK_SIZE] ?? NO_ROW;
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
function passOver(
  shelf: Shelf,
  row: number,
  { wanted, left }: { wanted: readonly number[]; left: number },
): { row: number; matching: number } | undefined {
  for (const [size, counts] of [
    [GROUP_SIZE, shelf.groupCounts],
    [BLOCK_SIZE, shelf.blockCounts],
  ] as const) {
    // The newest group and block end early; the rows that are missing in them count for nothing.
    if ((row + 1) % size !== 0) continue;
    const matching = sum(counts[Math.floor(row / size)], wanted);
    if (matching <= left) return { row: row - size, matching };
  }
  return undefined;
}
