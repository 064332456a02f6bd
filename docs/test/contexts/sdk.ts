// The surroundings of the code blocks of the client.
export * from './common.ts';
export { postgresStore } from '@service/sdk/payer/postgres';

/** A connection to Postgres that has the table of the intents. */
export const pool = { query: async (): Promise<{ rows: object[] }> => ({ rows: [] }) };
