/**
 * A store of payment intents in Postgres, for all processes that reach the database.
 *
 * @module
 */
export {
  createPostgresStore,
  type PostgresConnection,
  postgresIntentMigration,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
} from '../intents/postgres-store.ts';
