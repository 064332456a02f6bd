import { toHex } from '@service/internal';
import { createUsageError } from '../errors.ts';

/** A pool, connection or transaction of pg, postgres.js, Drizzle or Prisma. */
export type PostgresConnection =
  | {
      /** Runs a statement, in pg. */
      query(
        text: string,
        values: string[],
      ): Promise<{
        /** The rows as objects. */
        readonly rows: readonly unknown[];
      }>;
    }
  | {
      /** Runs a statement, in postgres.js. */
      unsafe(text: string, values: string[]): PromiseLike<readonly unknown[]>;
    }
  | {
      /** Runs a statement, in Drizzle. */
      execute(text: string): PromiseLike<unknown>;
    }
  | {
      /** Runs a statement, in Prisma. */
      $queryRawUnsafe(text: string, ...values: string[]): PromiseLike<unknown>;
    };

/** Sends a statement with at most one parameter, `$1::text`: JSON, because all drivers send a text unchanged. */
export type Query = (text: string, values: object) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/**
 * Returns the function that sends statements over a connection.
 *
 * @throws {ConfigurationError} when it is no connection.
 */
export function toQuery(connection: PostgresConnection): Query {
  const run = findFunction(connection);
  return async (text, values) => {
    const result = await run(text, JSON.stringify(values));
    const rows = Array.isArray(result) ? result : (result as { readonly rows?: unknown } | null)?.rows;
    if (Array.isArray(rows)) return rows as Awaited<ReturnType<Query>>;
    throw new TypeError('The Postgres connection must return rows.');
  };
}

function findFunction(connection: PostgresConnection): (text: string, json: string) => PromiseLike<unknown> {
  const given: unknown = connection;
  if (hasFunction(given, '$queryRawUnsafe'))
    return (text, json) => given.$queryRawUnsafe(text, ...toParameters(text, json));
  if (hasFunction(given, 'unsafe')) return (text, json) => given.unsafe(text, toParameters(text, json));
  if (hasFunction(given, 'execute'))
    return (text, json) => given.execute(text.replace('$1::text', () => toLiteral(json)));
  if (hasFunction(given, 'query')) return (text, json) => given.query(text, toParameters(text, json));
  throw createUsageError(
    'A Postgres store requires a pool, connection or transaction of pg, postgres.js, Drizzle or Prisma: postgresStore(pool).',
  );
}

function toParameters(text: string, json: string): readonly string[] {
  return text.includes('$1') ? [json] : [];
}

/** Converts text to SQL of hexadecimal digits, in which no quote can occur: `execute` of Drizzle has no parameters. */
function toLiteral(text: string): string {
  return `convert_from(decode('${toHex(new TextEncoder().encode(text))}', 'hex'), 'UTF8')`;
}

/** Returns whether a client of a database has a function. Some clients are functions themselves. */
function hasFunction<Name extends string>(
  client: unknown,
  name: Name,
): client is Record<Name, (...values: unknown[]) => PromiseLike<unknown>> {
  return typeof (client as Readonly<Record<string, unknown>> | null | undefined)?.[name] === 'function';
}
