// The surroundings of the code blocks of the client.
import { documentedRow } from '../../../packages/internal/src/profile.ts';

export * from './common.ts';
export { createPostgresStore } from '@service/sdk/intents/postgres';

/** A profile with templates, as the probe saves it. */
export const profile = {
  fees: [{ percent: '0.5' }],
  transactionShape: [{ of: 'any', row: documentedRow }],
};

/** A connection to Postgres that has the table of the intents. */
export const pool = { query: async (): Promise<{ rows: object[] }> => ({ rows: [] }) };
