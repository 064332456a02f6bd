/**
 * A store of payment intents in Postgres, for all processes that reach the database.
 *
 * @module
 */
export type { PostgresConnection } from '../stores/postgres-connection.ts';
export {
  postgresStore,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
} from '../stores/postgres.ts';
export { postgresMigration } from '../stores/postgres-tables.ts';
