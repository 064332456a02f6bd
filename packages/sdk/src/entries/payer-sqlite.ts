/**
 * A store of payment intents in SQLite, for all processes of a machine. For Node 22.13 or later.
 *
 * @module
 */
export { sqliteStore, type SqliteStore, type SqliteStoreOptions } from '../stores/sqlite.ts';
