import type { Delivery } from '../domain/delivery.ts';
import type { NextTransition } from '../domain/payment.ts';
import type { Mode } from '@service/contract';
import type { IdempotencyRecord } from './account-state.ts';
import type { EncodedPayment } from './codec.ts';
import type { AccountSnapshot, ModeSnapshot, Snapshot, StateSnapshot } from './snapshot.ts';

/** A snapshot of version 1. Version 2 renamed fields and added the `event` of a delivery. */
export interface SnapshotVersion1 extends Omit<Snapshot, 'version' | 'state'> {
  readonly version: 1;
  readonly state: Omit<StateSnapshot, 'accounts'> & { readonly accounts: readonly AccountVersion1[] };
}

type AccountVersion1 = Omit<AccountSnapshot, 'modes'> & { readonly books: Record<Mode, ModeVersion1> };

type ModeVersion1 = Omit<ModeSnapshot, 'payments' | 'idempotency' | 'deliveries'> & {
  readonly payments: readonly PaymentVersion1[];
  readonly idempotency: readonly IdempotencyVersion1[];
  readonly deliveries: readonly DeliveryVersion1[];
};

type PaymentVersion1 = Omit<EncodedPayment, 'next'> & {
  readonly next?: { readonly move: NextTransition['transition']; readonly at: number } | null;
};

type IdempotencyVersion1 = Omit<IdempotencyRecord, 'reserved_at' | 'response'> & {
  readonly bound_at: number;
  readonly answer: string;
};

type DeliveryVersion1 = Omit<Delivery, 'fault' | 'event'> & { readonly disturbed: Delivery['fault'] };

/** Converts the state of a snapshot of version 1 to the current version. */
export function upgradeVersion1(state: SnapshotVersion1['state']): StateSnapshot {
  const accounts = state.accounts.map(({ books, ...account }) => ({
    ...account,
    modes: { test: upgradeMode(books.test), live: upgradeMode(books.live) },
  }));
  return { ...state, accounts };
}

function upgradeMode({ payments, idempotency, deliveries, ...rest }: ModeVersion1): ModeSnapshot {
  return {
    ...rest,
    payments: payments.map(upgradePayment),
    idempotency: idempotency.map(({ bound_at, answer, ...record }) => ({
      ...record,
      reserved_at: bound_at,
      response: answer,
    })),
    deliveries: deliveries.map(({ disturbed, ...delivery }) => ({
      ...delivery,
      event: `payment.${delivery.status}`,
      fault: disturbed,
    })),
  };
}

function upgradePayment({ next = null, ...payment }: PaymentVersion1): EncodedPayment {
  return { ...payment, next: next === null ? null : { transition: next.move, at: next.at } };
}
