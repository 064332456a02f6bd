/**
 * Reads pages of transactions that were requested without a client. `components` are the schemas of the API document.
 *
 * @module
 */
export { readTransactionPage, type TransactionPageReading } from '../transactions/transactions.ts';
export type { components } from '@service/contract';
