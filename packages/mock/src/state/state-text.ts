import type { TakeTurn } from '@service/internal';
import {
  type AccountCopy,
  encodeItems,
  isList,
  type ItemList,
  type ModeCopy,
  type StateCopy,
} from './state-copy.ts';

/** The number of items that are encoded at once. */
const ITEMS = 100;

/** The minimum length of a block of text. */
const BLOCK = 2 ** 20;

/** Writes a copy of the state as the text of `JSON.stringify`, in parts. Leaves out fields with an omitted name. */
export function writeState(copy: StateCopy, omitted: readonly string[] = []): Generator<string> {
  const writeMode = (mode: ModeCopy) => () => writeFields(mode, omitted);
  const writeAccount = ({ modes: { test, live }, ...rest }: AccountCopy): Generator<string> =>
    writeFields({ ...rest, modes: () => writeFields({ test: writeMode(test), live: writeMode(live) }) });
  const accounts = (): Generator<string> => writeArray(copy.accounts, writeAccount);
  return writeFields({ ...copy, accounts }, omitted);
}

/** Writes the fields of an object. A function writes the value of its field. */
function* writeFields(fields: object, omitted: readonly string[] = []): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined || omitted.includes(name)) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (typeof value === 'function') yield* value() as Generator<string>;
    else if (isList(value)) yield* writeItems(value);
    else if (Array.isArray(value)) yield* writeItems({ items: value });
    else yield JSON.stringify(value);
  }
  yield '}';
}

function writeItems(list: ItemList): Generator<string> {
  const starts = Array.from({ length: Math.ceil(list.items.length / ITEMS) }, (_, index) => index * ITEMS);
  return writeArray(starts, function* (start) {
    yield JSON.stringify(encodeItems(list, start, start + ITEMS)).slice(1, -1);
  });
}

function* writeArray<Item>(
  items: readonly Item[],
  write: (item: Item) => Generator<string>,
): Generator<string> {
  yield '[';
  let separator = '';
  for (const item of items) {
    yield separator;
    yield* write(item);
    separator = ',';
  }
  yield ']';
}

/** Joins parts to blocks whose bounds depend only on the text. Gives the event loop turns. */
export async function* joinInTurns(parts: Iterable<string>, takeTurn: TakeTurn): AsyncGenerator<string> {
  let block = '';
  for (const part of parts) {
    block += part;
    if (block.length >= BLOCK) {
      yield block;
      block = '';
    }
    const turn = takeTurn();
    if (turn !== undefined) await turn;
  }
  yield block;
}
