import type { Delivery } from '@service/mock';
import { isObject, toRecord } from '../json.ts';
import type { Session } from '../session.ts';
import { openControl, unreadable } from './control.ts';
import { locate } from './locate.ts';
import { findOperation } from './operations.ts';

/** Says which deliveries are meant. */
export type DeliveryFilter = {
  readonly payment?: string;
  /** Keeps those that were tried and not acknowledged. */
  readonly failed?: true;
  readonly mode?: string;
  readonly account?: string;
};

/** Fetches the deliveries of an account and mode, those of the key unless others are named. Throws ControlError, UsageError. */
export async function fetchDeliveries(session: Session, filter: DeliveryFilter): Promise<Delivery[]> {
  const { payment, failed, mode } = filter;
  const whose = await locate(session, filter);
  const control = await openControl(session);
  const books = { ...(await whose(control)), ...(mode !== undefined && { mode }) };
  const operation = findOperation('listDeliveries');
  const { deliveries } = toRecord(await control.call(operation, books));
  if (!Array.isArray(deliveries) || !deliveries.every(isDelivery)) throw unreadable(operation);
  return deliveries.filter(
    (delivery) =>
      (payment === undefined || delivery.payment_id === payment) && (failed !== true || hasFailed(delivery)),
  );
}

/** Tries a delivery once more, now, and returns it with that attempt. Throws ControlError, UsageError. */
export async function redeliver(session: Session, delivery: string): Promise<Delivery> {
  const control = await openControl(session);
  const operation = findOperation('redeliver');
  const tried = await control.call(operation, { delivery });
  if (!isDelivery(tried)) throw unreadable(operation);
  return tried;
}

/** Tells whether an answer has of a delivery what is shown of it. */
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
