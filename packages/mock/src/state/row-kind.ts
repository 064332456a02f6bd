import { type Status, statuses } from '../domain/status.ts';
import { type TransactionType, transactionTypes } from '@service/contract';

/** The number of kinds that rows of the history can be of: each type in each status. */
export const rowKinds: number = transactionTypes.length * statuses.length;

/** Numbers the kind of a row: what the filters of the history go by. */
export function kindOf(type: TransactionType, status: Status): number {
  return transactionTypes.indexOf(type) * statuses.length + statuses.indexOf(status);
}
