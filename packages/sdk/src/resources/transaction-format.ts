import type { RowReading } from '@service/internal';
import { hide } from '../errors.ts';
import type { PageQuery } from './pages.ts';
import type { PageReading } from './pagination.ts';
import type { FoundArray, UnreadablePage } from './row-array.ts';

/** A reader of transactions from the templates of a profile. The result of `createTransactionReader`. */
export interface TransactionReader {
  /** The settings of the profile that are templates. The client reads the other one as it does without a reader. */
  readonly templates: readonly ('transactionShape' | 'pagination')[];
}

/** The functions of a reader. Undefined where the profile has no template. */
export interface TransactionFormat {
  /** Reads a row whose numbers are text. Returns undefined if no template fits. */
  readonly readRow?: ((row: unknown) => RowReading | undefined) | undefined;
  readonly page?: PageFormat | undefined;
}

/** The functions of a page template. */
export interface PageFormat {
  /** Returns the query of the page that a caller asks for, without documented parameters that the service lacks. */
  readonly toFirstQuery: (query: PageQuery) => PageQuery;
  /** Finds the list of rows. */
  readonly findRows: (body: unknown) => FoundArray | UnreadablePage;
  readonly readPage: (page: AskedPage) => PageReading;
}

/** A response with a page, its query and the number of its rows. */
export interface AskedPage {
  readonly body: unknown;
  readonly headers: Headers;
  readonly query: PageQuery;
  readonly count: number;
}

/** The property of a reader with its functions. Global, because the CommonJS entries contain copies. */
const FORMAT: unique symbol = Symbol.for('@service/sdk/transaction-format');

/** Creates the public form of a reader. */
export function hideFormat(format: TransactionFormat): TransactionReader {
  const { readRow, page } = format;
  const reader: TransactionReader = {
    templates: [...(readRow ? ['transactionShape' as const] : []), ...(page ? ['pagination' as const] : [])],
  };
  hide(reader, FORMAT, format);
  return reader;
}

/** Returns the functions of a reader; undefined for any other value. */
export function findFormat(reader: unknown): TransactionFormat | undefined {
  return (reader as { readonly [FORMAT]?: TransactionFormat } | null | undefined)?.[FORMAT];
}
