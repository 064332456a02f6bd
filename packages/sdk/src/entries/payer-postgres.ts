/**
 * A store of payment intents in Postgres, for all processes that reach the database.
 *
 * @module
 */
export {
  type PostgresConnection,
  type PostgresIntentStore,
  type PostgresIntentStoreOptions,
  postgresMigration,
  postgresStore,
} from '../stores/postgres.ts';
