import type { Pool } from 'pg';
import type { Intent, IntentFilter, IntentStore } from '@service/sdk';

/** The table of the intents. */
export const schema = `
  create table if not exists payment_intents (
    reference text collate "C" primary key,
    version bigint not null,
    write_id text not null,
    state text not null,
    payment_id text constraint payment_intents_payment_id unique,
    intent json not null
  )`;

/** Stores intents in Postgres. `fingerprintKey` is a secret of at least 32 characters, the same in all processes. */
export function createPostgresStore(pool: Pool, fingerprintKey: string): IntentStore {
  return {
    fingerprintKey,
    read: async (reference) => {
      const sql = 'select intent from payment_intents where reference = $1';
      return (await pool.query<{ intent: Intent }>(sql, [reference])).rows[0]?.intent;
    },
    swap: async (next, { fromVersion, writeId }) => {
      const { reference, version, state, paymentId = null } = next;
      const values = [reference, version, writeId, state, paymentId, JSON.stringify(next)];
      try {
        const { rowCount } =
          fromVersion === 0
            ? await pool.query(insertSql, values)
            : await pool.query(updateSql, [...values, fromVersion]);
        if (rowCount === 1) return 'done';
      } catch (error) {
        if ((error as { constraint?: string }).constraint === 'payment_intents_payment_id') return 'id_taken';
        throw error;
      }
      const applied = 'select 1 from payment_intents where reference = $1 and write_id = $2';
      return (await pool.query(applied, [reference, writeId])).rowCount === 1 ? 'done' : 'lost';
    },
    list: (filter) => list(pool, filter),
  };
}

const insertSql = `
  insert into payment_intents (reference, version, write_id, state, payment_id, intent)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (reference) do nothing`;

const updateSql = `
  update payment_intents set version = $2, write_id = $3, state = $4, payment_id = $5, intent = $6
  where reference = $1 and version = $7`;

async function* list(
  pool: Pool,
  { states, paymentIds, hasConflicts, after }: IntentFilter,
): AsyncGenerator<Intent> {
  const sql = `
    select intent from payment_intents
    where ($1::text[] is null or state = any($1)) and ($2::text[] is null or payment_id = any($2))
      and ($3::text is null or reference > $3) and ($4::boolean is null or intent->'conflicts' is not null)
    order by reference limit 500`;
  for (let last = after; ;) {
    const { rows } = await pool.query<{ intent: Intent }>(sql, [states, paymentIds, last, hasConflicts]);
    for (const { intent } of rows) yield intent;
    last = rows.at(-1)?.intent.reference;
    if (last === undefined) return;
  }
}
