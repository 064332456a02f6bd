/**
 * A store of payment intents in Postgres, for all processes that reach the database.
 *
 * @module
 */
export type { PostgresConnection } from '../intents/postgres-connection.ts';
export {
  createPostgresStore,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
} from '../intents/postgres-store.ts';
export { postgresIntentMigration } from '../intents/postgres-tables.ts';
