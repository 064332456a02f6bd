import type { Books } from '../world/books.ts';
import { createGate, type Gate } from './gate.ts';
import { createQueue, type Queue } from './queue.ts';

/** Keeps the attempts at the endpoint of one books apart from those at all others. */
export interface Line {
  /** First attempts, one event after another. */
  readonly first: Queue;
  /** Attempts after the first, a few at a time, beside the queue and so never in front of it. */
  readonly again: Gate;
}

/** Finds the line of books; the same one each time. */
export type Lines = (books: Books) => Line;

/** Bounds the retries and redeliveries to one endpoint that are under way at once. */
const AGAIN_AT_ONCE = 8;

/** Creates the lines of a sandbox. */
export function createLines(): Lines {
  const lines = new WeakMap<Books, Line>();
  return (books) => {
    const line = lines.get(books) ?? { first: createQueue(), again: createGate(AGAIN_AT_ONCE) };
    lines.set(books, line);
    return line;
  };
}
