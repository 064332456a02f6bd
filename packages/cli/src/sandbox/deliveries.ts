import type { Delivery } from '@service/mock';
import { isRecord as isObject, toRecord } from '@service/internal';
import type { Session } from '../session.ts';
import { openControl, createUnreadableError } from './control.ts';
import { createAccountLookup } from './account-lookup.ts';
import { findOperation } from './operations.ts';

/** The options that select deliveries. */
export interface DeliveryFilter {
  readonly payment?: string;
  /** Only deliveries with attempts, none of them acknowledged. */
  readonly failed?: true;
  readonly mode?: string;
  readonly account?: string;
}

/**
 * Fetches the deliveries of an account and mode, by default those of the API key.
 *
 * @throws {UsageError} when the account cannot be determined.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
export async function fetchDeliveries(session: Session, filter: DeliveryFilter): Promise<Delivery[]> {
  const { payment, failed, mode } = filter;
  const findSelected = await createAccountLookup(session, filter);
  const control = await openControl(session);
  const account = { ...(await findSelected(control)), ...(mode !== undefined && { mode }) };
  const operation = findOperation('listDeliveries');
  const { deliveries } = toRecord(await control.call(operation, account));
  if (!Array.isArray(deliveries) || !deliveries.every(isDelivery)) throw createUnreadableError(operation);
  return deliveries.filter(
    (delivery) =>
      (payment === undefined || delivery.payment_id === payment) && (failed !== true || hasFailed(delivery)),
  );
}

/**
 * Sends a delivery again immediately, and returns it with the new attempt.
 *
 * @throws {UsageError} when the base URL or the token is invalid.
 * @throws {ControlError} when the control API rejects the request or does not respond.
 */
export async function redeliver(session: Session, delivery: string): Promise<Delivery> {
  const control = await openControl(session);
  const operation = findOperation('redeliver');
  const updated = await control.call(operation, { delivery });
  if (!isDelivery(updated)) throw createUnreadableError(operation);
  return updated;
}

/** Whether a value has the fields of a delivery that are printed. */
function isDelivery(value: unknown): value is Delivery {
  const { attempts, next_at } = toRecord(value);
  const isAttempt = (one: unknown): boolean => isObject(one) && isObject(one.result) && isTime(one.at);
  return Array.isArray(attempts) && attempts.every(isAttempt) && (next_at === null || isTime(next_at));
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

function hasFailed({ state, attempts }: Delivery): boolean {
  return state !== 'acknowledged' && attempts.length > 0;
}
