import type { Delivery } from '@service/mock';
import type { Session } from '../session.ts';
import { openControl } from './control.ts';
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
  const { deliveries } = (await control.call(findOperation('listDeliveries'), books)) as {
    deliveries: readonly Delivery[];
  };
  return deliveries.filter(
    (delivery) =>
      (payment === undefined || delivery.payment_id === payment) && (failed !== true || hasFailed(delivery)),
  );
}

/** Tries a delivery once more, now, and returns it with that attempt. Throws ControlError, UsageError. */
export async function redeliver(session: Session, delivery: string): Promise<Delivery> {
  const control = await openControl(session);
  return (await control.call(findOperation('redeliver'), { delivery })) as Delivery;
}

function hasFailed({ state, attempts }: Delivery): boolean {
  return state !== 'acknowledged' && attempts.length > 0;
}
