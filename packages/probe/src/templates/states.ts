import type { Known, KnownValues } from './known.ts';
import { textOf } from './values.ts';

/** A status of a payment, and the times at which it was first seen and the payment was created. */
export interface SeenStatus {
  readonly status: string;
  readonly at: number;
  readonly createdAt: number;
}

/** Adds the values of a payment that follow from its statuses after the create, in their order. Times are those of the service. */
export function addStatuses(known: KnownValues, seen: readonly SeenStatus[]): KnownValues {
  const created = known.created_at?.kind === 'time' ? known.created_at.at : 0;
  const first = known.status?.kind === 'text' ? known.status.text : null;
  const later = seen.filter(({ status }) => status !== first);
  const times = new Map<string | null, number>([
    [first, created],
    ...later.map(({ status, at, createdAt }) => [status, created + at - createdAt] as const),
  ]);
  const timeOf = (name: string): Known => {
    const at = times.get(name);
    return at === undefined ? textOf(null) : { kind: 'time', at };
  };
  const [last = first, previous = null] = [...times.keys()].toReversed();
  return {
    ...known,
    status: textOf(last),
    previous_status: textOf(previous),
    updated_at: { kind: 'time', at: times.get(last) ?? created },
    processing_at: timeOf('processing'),
    completed_at: timeOf('completed'),
    failed_at: timeOf('failed'),
  };
}
