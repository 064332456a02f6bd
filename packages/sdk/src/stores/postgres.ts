import { boolean, type Field } from '@service/internal';
import { ConfigurationError, createUsageError, parseUsage } from '../errors.ts';
import { describeStoreFailure, redactCause } from '../redact.ts';
import { fingerprintKeyField, MAX_ROUNDS, parseIntent } from './checked-store.ts';
import {
  checkPlanned,
  type Intent,
  type IntentFilter,
  type IntentStore,
  type IntentWrite,
  type StoreAccount,
} from './intent.ts';

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

/** The secret key and the table of a store in Postgres. */
export interface PostgresIntentStoreOptions {
  /**
   * The secret key of the stored HMACs of bodies and beneficiaries: at least 32 characters, the same in all
   * processes.
   *
   * @default none: the digest of a body is a plain SHA-256
   */
  readonly fingerprintKey?: string | undefined;
  /**
   * The name of the table, optionally with its schema. A second table has the suffix `_store`.
   *
   * @default 'payment_intents'
   */
  readonly table?: string | undefined;
  /**
   * Whether the first use creates the tables. With `false`, run the SQL of `postgresMigration()` yourself.
   *
   * @default true
   */
  readonly migrate?: boolean | undefined;
}

/** A store of intents that can record one in a transaction of the caller. */
export interface PostgresIntentStore extends IntentStore {
  /**
   * Records a planned intent in a transaction of the caller, which commits it together with the rows of the
   * caller. Get the intent from `payer.prepare()` before the transaction begins. Recording the same reference
   * with the same body again returns the recorded intent.
   *
   * @throws {IdempotencyError} (`not_sent`) when the reference has another body.
   */
  readonly planIn: (transaction: PostgresConnection, planned: Intent) => Promise<Intent>;
}

/**
 * Creates a store of intents in Postgres. The first use creates its tables. All processes that reach the
 * database can use it. A write is durable when it returns, also with another default of `synchronous_commit`.
 *
 * @throws {ConfigurationError} when the connection or an option is invalid. Each use of the store, when the tables cannot
 * be created or have a later format.
 * @example
 * const store = postgresStore(new Pool({ connectionString }));
 */
export function postgresStore(
  connection: PostgresConnection,
  options: PostgresIntentStoreOptions = {},
): PostgresIntentStore {
  const fields = { fingerprintKey: fingerprintKeyField, table: tableField, migrate: boolean };
  const given = parseUsage('The options of postgresStore', options, fields);
  const { table = DEFAULT_TABLE, fingerprintKey, migrate = true } = given;
  const send = toQuery(connection);
  let prepared: Promise<void> | undefined;
  const query: Query = async (text, values) => {
    const ready = (prepared ??= prepareTables(send, table, migrate));
    await ready.catch((error: unknown) => {
      if (prepared === ready) prepared = undefined;
      throw error;
    });
    return send(text, values);
  };
  const sql = createStatements(table);
  const read = async (over: Query, reference: string): Promise<Intent | undefined> => {
    const [row] = await over(sql.read, { reference });
    return row && parseIntent(row);
  };
  return {
    fingerprintKey,
    read: (reference) => read(query, reference),
    swap: async (next, write) => {
      const { fromVersion, writeId } = write;
      const values = toValues(next, write);
      let failure: unknown;
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        try {
          const written = await query(fromVersion === 0 ? sql.insert : sql.update, values);
          if (written.length > 0) return 'done';
        } catch (error) {
          // The drivers report a payment id that is not unique in different forms.
          failure = error;
        }
        const [found] = await query(sql.explain, values);
        if (found?.writer === writeId) return 'done';
        if (Number(found?.version ?? 0) !== fromVersion) return 'lost';
        if (found?.taken === 'true') return 'id_taken';
        // The other reference released the payment id in the meantime, or the database fails.
      }
      throw failure;
    },
    list: (filter) => listIntents(query, table, filter),
    bindAccount: async (account) => {
      const [row] = await query(sql.bindAccount, account);
      return JSON.parse(String(row?.account)) as StoreAccount;
    },
    now: async () => {
      const [row] = await query(sql.now);
      return new Date(Number(row?.now));
    },
    planIn: async (transaction, planned) => {
      if (planned?.state !== 'planned' || planned.version !== 1)
        throw createUsageError('planIn: the intent must be the result of `await payer.prepare(…)`.');
      const over = toQuery(transaction);
      const write = { fromVersion: 0, writeId: crypto.randomUUID() };
      const written = await over(sql.insert, toValues(planned, write));
      return written.length > 0 ? planned : checkPlanned(planned, await read(over, planned.reference));
    },
  };
}

// A part of each writing statement: it applies to the commit of its transaction. `remote_apply` waits for longer than `on`.
const durable = `set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true) <> 'off'`;

function createStatements(table: string) {
  const given = `with given as (select * from json_to_record($1::text::json) as given (reference text, version bigint,
    from_version bigint, write_id text, state text, payment_id text, has_conflicts boolean, intent text))`;
  const columns = 'reference, version, write_id, state, payment_id, has_conflicts, intent';
  return {
    read: `select intent::text as intent from ${table} where reference = $1::text::json->>'reference'`,
    insert: `${given} insert into ${table} (${columns}) select ${columns}::json from given where ${durable}
      on conflict (reference) do nothing returning 1 as done`,
    update: `${given} update ${table} as stored set version = given.version, write_id = given.write_id,
      state = given.state, payment_id = given.payment_id, has_conflicts = given.has_conflicts, intent = given.intent::json
      from given where stored.reference = given.reference and stored.version = given.from_version and ${durable}
      returning 1 as done`,
    // Texts, in columns of one word: a client may convert other types, and the case of names.
    explain: `${given} select stored.version::text as version, stored.write_id as writer, (exists (select from ${table} as
      other where other.payment_id = given.payment_id and other.reference <> given.reference))::text as taken
      from given left join ${table} as stored on stored.reference = given.reference`,
    bindAccount: `update ${table}_store set account = coalesce(account, $1::text::json) where ${durable}
      returning account::text as account`,
    now: `select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as now`,
  };
}

function toValues(next: Intent, { fromVersion, writeId }: IntentWrite): object {
  const { reference, version, state, paymentId: payment_id, conflicts = [] } = next;
  const has_conflicts = conflicts.length > 0;
  const write = { from_version: fromVersion, write_id: writeId, intent: JSON.stringify(next) };
  return { reference, version, state, payment_id, has_conflicts, ...write };
}

async function listIntents(
  query: Query,
  table: string,
  { states, paymentIds, hasConflicts }: IntentFilter,
): Promise<readonly Intent[]> {
  const conditions = ['true'];
  if (states) conditions.push(`state = any (${arrayOf('states')})`);
  if (paymentIds) conditions.push(`payment_id = any (${arrayOf('paymentIds')})`);
  if (hasConflicts) conditions.push('has_conflicts');
  const sql = `select intent::text as intent from ${table}, (select $1::text::json as filter) as given
    where ${conditions.join(' and ')} order by reference`;
  return (await query(sql, { states, paymentIds })).map(parseIntent);
}

function arrayOf(name: string): string {
  return `array(select json_array_elements_text(filter->'${name}'))`;
}

/** Sends a statement with at most one parameter, `$1::text`: JSON, because all drivers send a text unchanged. */
type Query = (text: string, values?: object) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/**
 * Returns the function that sends statements over a connection.
 *
 * @throws {ConfigurationError} when it has no function `query`, or its result has no rows.
 */
function toQuery(connection: PostgresConnection): Query {
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

/** The name of the table by default. */
const DEFAULT_TABLE = 'payment_intents';
/** The suffix of the second table must fit into the 63 characters of a name. */
const TABLE = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;
/** The name of a table. */
const tableField: Field<string> = {
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
async function prepareTables(query: Query, table: string, migrate: boolean): Promise<void> {
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
