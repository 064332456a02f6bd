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

/** The format of the tables. A later one adds its changes to the migration. */
const FORMAT = 1;

/**
 * Returns the SQL that creates the tables, or changes those of an earlier format. It can run more than once.
 * `postgresStore` runs it if it is needed, so this is for roles without the right to create tables.
 *
 * @throws {ConfigurationError} when the name of the table is invalid.
 */
export function postgresMigration(table: string = DEFAULT_TABLE): string {
  parseUsage('The table', { table }, { table: tableField });
  // One statement, which all drivers can send. The lock is for workers that start at the same time.
  return `do $$
declare
  present integer;
begin
  perform pg_advisory_xact_lock(hashtext('${table}'));
  create table if not exists ${table}_store (
    id integer primary key check (id = 1),
    format integer not null,
    account json
  );
  insert into ${table}_store (id, format) values (1, 0) on conflict do nothing;
  select format into present from ${table}_store;
  if present < 1 then
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
  update ${table}_store set format = greatest(format, ${FORMAT});
end $$;
`;
}

/** Creates or changes the tables, if they do not have the present format. */
export async function migrate(query: Query, table: string): Promise<void> {
  const readFormat = async (): Promise<number> => {
    const [found] = await query(`select to_regclass('${table}_store')::text as name`, {});
    if (typeof found?.name !== 'string') return 0;
    const [row] = await query(`select format from ${table}_store`, {});
    return Number(row?.format ?? 0);
  };
  try {
    const format = await readFormat();
    if (format < FORMAT) await query(postgresMigration(table), {});
    if (format <= FORMAT) return;
    throw new ConfigurationError(
      `The table ${table} has format ${format} of intents; this release reads format ${FORMAT}. Use the release that wrote it.`,
    );
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError(
      `The tables ${table} and ${table}_store cannot be used as an intent store: ${describeStoreFailure(error)}. If the role must not create tables, run the SQL of postgresMigration() first.`,
      { cause: redactCause(error) },
    );
  }
}
