/**
 * Reads pages of transactions that were requested without a client. `components` are the schemas of the API document.
 *
 * @module
 */
export type { PagePlace, PageProblem, PageQuery, RowArray } from '../transactions/page.ts';
export { readTransactionPage } from '../transactions/transactions.ts';
export type { components } from '@service/contract';
