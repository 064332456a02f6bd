import * as s from '../domain/schema.ts';

/** The part of a list to return. */
export interface PageOptions {
  /**
   * Maximum number of items, at most 1000: the newest ones.
   *
   * @default all; 100 over HTTP
   */
  readonly limit?: number | undefined;
  /**
   * The number of newest items to leave out.
   *
   * @default 0
   */
  readonly offset?: number | undefined;
}

/** The limit over HTTP. */
export const DEFAULT_LIMIT = 100;

/** The fields of an operation that returns a part of a list. */
export const page: Readonly<Record<keyof PageOptions, s.Schema<number | undefined>>> = {
  limit: s.optional(s.whole(1, 1_000, { default: DEFAULT_LIMIT })),
  offset: s.optional(s.whole(0, 1_000_000_000, { default: 0 })),
};

/** Returns a part of a list that ends with the newest item, in the same order. */
export function takePage<Item>(all: readonly Item[], { limit = Infinity, offset = 0 }: PageOptions): Item[] {
  const end = Math.max(0, all.length - offset);
  return all.slice(Math.max(0, end - limit), end);
}
