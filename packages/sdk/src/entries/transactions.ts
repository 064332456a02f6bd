/**
 * Reads pages of transactions that were requested without a client.
 *
 * @module
 */
export { readTransactionPage, type TransactionPageReading } from '../transactions/transactions.ts';
