import { type Field } from '@service/internal';
import { ConfigurationError, parseUsage } from '../errors.ts';
import { describeStoreFailure, redactCause } from '../redact.ts';
import type { Query } from './postgres-connection.ts';

/** The name of the table by default. */
export const DEFAULT_TABLE = 'payment_intents';
/** The suffix of the second table must fit into the 63 characters of a name. */
const TABLE = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;
/** The name of a table. */
export const tableField: Field<string> = {
  expected: 'a name of at most 50 lower-case letters, digits and underscores, optionally as schema.name',
  parse: (value) => (typeof value === 'string' && TABLE.test(value) ? value : undefined),
};

/** The format of the tables. */
const FORMAT = 1;

/**
 * Returns the SQL that creates the tables, unless they exist. `postgresStore` runs it by itself; with `migrate: false` you
 * do, for example as a role that may create tables.
 *
 * @throws {ConfigurationError} when the name of the table is invalid.
 */
export function postgresMigration(table: string = DEFAULT_TABLE): string {
  parseUsage('The table', { table }, { table: tableField });
  // One statement, which all drivers can send. The lock is for workers that start at the same time.
  return `do $$
begin
  perform pg_advisory_xact_lock(hashtext('${table}'));
  if to_regclass('${table}_store') is null then
    create table ${table}_store (
      id integer primary key check (id = 1),
      format integer not null,
      account json
    );
    insert into ${table}_store (id, format) values (1, ${FORMAT});
    create table ${table} (
      reference text collate "C" primary key,
      version bigint not null,
      write_id text not null,
      state text not null,
      payment_id text unique,
      has_conflicts boolean not null,
      intent json not null
    );
    create index on ${table} (state, reference);
    create index on ${table} (reference) where has_conflicts;
  end if;
end $$;
`;
}

/** The classes of SQLSTATE whose errors last: wrong credentials, no such database, and missing rights or tables. */
const LASTING = /^(?:28|3D|42)/;

/**
 * Checks the format of the tables. Creates them before if `migrate` is set.
 *
 * @throws {ConfigurationError} when they cannot be used. Any other error can pass.
 */
export async function prepareTables(query: Query, table: string, migrate: boolean): Promise<void> {
  try {
    if (migrate) await query(postgresMigration(table));
    const [row] = await query(`select format from ${table}_store`);
    if (Number(row?.format) !== FORMAT)
      throw new ConfigurationError(
        `The table ${table} has format ${String(row?.format)} of intents; this release reads format ${FORMAT}. Use the release that wrote it.`,
      );
  } catch (error) {
    if (!LASTING.test(String((error as { readonly code?: unknown } | null)?.code))) throw error;
    throw new ConfigurationError(
      `The tables ${table} and ${table}_store cannot be used as an intent store: ${describeStoreFailure(error)}. Run the SQL of postgresMigration('${table}') first, or leave out \`migrate: false\` if the role may create tables.`,
      { cause: redactCause(error) },
    );
  }
}
