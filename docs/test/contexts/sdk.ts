// The surroundings of the code blocks of the client.
export * from './common.ts';
export { createPostgresStore } from '@service/sdk/intents/postgres';

/** A profile with templates, as the probe saves it. */
export const profile = {
  fees: [{ percent: '0.5' }],
  transactionShape: [
    {
      of: 'any',
      row: {
        id: '{id}',
        type: '{type}',
        status: '{status}',
        currency: '{currency}',
        amount: '{amount}',
        fee: '{row_fee}',
        balance_after: '{balance_after}',
        payment_id: '{payment_id}',
        reference: '{reference}',
        created_at: '{created_at}',
      },
    },
  ],
};

/** A connection to Postgres that has the table of the intents. */
export const pool = { query: async (): Promise<{ rows: object[] }> => ({ rows: [] }) };

/** The `fetch` of undici. */
export const fetch = async (request: Request, _init: { dispatcher: object }): Promise<Response> =>
  globalThis.fetch(request);
export const dispatcher = {};
