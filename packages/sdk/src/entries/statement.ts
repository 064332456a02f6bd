/**
 * Compares the records of a caller with the payments of an account.
 *
 * @module
 */
export { checkStatement } from '../statement/statement.ts';
export type {
  Statement,
  StatementAgreement,
  StatementDifference,
  StatementGap,
  StatementOptions,
  StatementPayment,
  StatementQuestion,
  StatementRecord,
} from '../statement/types.ts';
