import type { Delivery } from '@service/mock';
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
  const { deliveries } = ((await control.call(operation, books)) ?? {}) as { deliveries?: Delivery[] };
  if (!Array.isArray(deliveries)) throw unreadable(operation);
  return deliveries.filter(
    (delivery) =>
      (payment === undefined || delivery.payment_id === payment) && (failed !== true || hasFailed(delivery)),
  );
}

/** Tries a delivery once more, now, and returns it with that attempt. Throws ControlError, UsageError. */
export async function redeliver(session: Session, delivery: string): Promise<Delivery> {
  const control = await openControl(session);
  const operation = findOperation('redeliver');
  const tried = (await control.call(operation, { delivery })) as Delivery | undefined;
  if (!Array.isArray(tried?.attempts)) throw unreadable(operation);
  return tried;
}

function hasFailed({ state, attempts }: Delivery): boolean {
  return state !== 'acknowledged' && attempts.length > 0;
}
