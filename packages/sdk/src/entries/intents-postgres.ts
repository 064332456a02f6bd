/**
 * A store of payment intents in Postgres, for all processes that reach the database.
 *
 * @module
 */
export type { PostgresConnection } from '../stores/postgres-connection.ts';
export {
  createPostgresStore,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
} from '../stores/postgres.ts';
export { postgresIntentMigration } from '../stores/postgres-tables.ts';
