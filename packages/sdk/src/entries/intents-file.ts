/**
 * A store of payment intents in a file, for one process at a time. For Node.
 *
 * @module
 */
export { createFileStore, type FileStore, type FileStoreOptions } from '../intents/file-store.ts';
