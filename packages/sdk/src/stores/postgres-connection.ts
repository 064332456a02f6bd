import { createUsageError } from '../errors.ts';

/** A pool, connection or transaction of a driver of Postgres. */
export interface PostgresConnection {
  /** Runs one statement. The values of its parameters, `$1`, are texts. */
  query(
    text: string,
    values: string[],
  ): Promise<{
    /** The rows as objects. */
    readonly rows: readonly unknown[];
  }>;
}

/** Sends a statement with at most one parameter, `$1::text`: JSON, because all drivers send a text unchanged. */
export type Query = (text: string, values?: object) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/**
 * Returns the function that sends statements over a connection.
 *
 * @throws {ConfigurationError} when it has no function `query`, or its result has no rows.
 */
export function toQuery(connection: PostgresConnection): Query {
  if (typeof connection?.query !== 'function')
    throw createUsageError(
      'A Postgres store requires an object with the function query(text, values), such as a pool of pg: postgresStore(pool).',
    );
  return async (text, values) => {
    const result = await connection.query(text, values === undefined ? [] : [JSON.stringify(values)]);
    const rows: unknown = result?.rows;
    if (Array.isArray(rows)) return rows as Awaited<ReturnType<Query>>;
    throw createUsageError('`query` of the Postgres connection must return an object with `rows`.');
  };
}
