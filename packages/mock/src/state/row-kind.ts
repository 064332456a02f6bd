import { type Status, statuses } from '../domain/status.ts';
import { type TransactionType, transactionTypes } from '@service/contract';

/** The number of row kinds: one for each type and status. */
export const rowKinds: number = transactionTypes.length * statuses.length;

/** Returns the kind of a row. */
export function kindOf(type: TransactionType, status: Status): number {
  return transactionTypes.indexOf(type) * statuses.length + statuses.indexOf(status);
}
