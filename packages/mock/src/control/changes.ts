import type { Mode } from '@service/contract';
import type { Delivery } from '../domain/delivery.ts';
import type { Fault } from '../domain/fault.ts';
import type { AccountState } from '../state/account-state.ts';
import type { ClockMode } from '../state/clock.ts';
import type { LoggedRequest } from '../state/request-log.ts';
import type { Context } from './operation.ts';
import { type PaymentSummary, toPaymentSummary } from './operations/payments.ts';
import { type RequestFields, toRequestFields } from './operations/requests.ts';

/** A logged request as a row of a table. */
export interface RequestSummary extends RequestFields {
  /** The status of the response, null until then. */
  readonly status: number | 'connection_lost' | null;
  readonly fault: Fault['kind'] | null;
  /** The payment that the request created. */
  readonly payment_id: string | null;
}

/** A webhook delivery as a row of a table. */
export interface DeliverySummary extends Pick<Delivery, 'id' | 'payment_id' | 'event' | 'state'> {
  readonly account: string;
  readonly mode: Mode;
  readonly attempts: number;
  readonly next_at: string | null;
}

/** The clock and the counts that a page shows at all times. */
export interface Overview {
  readonly clock: ClockMode;
  /** Sandbox time, ISO 8601. */
  readonly now: string;
  readonly accounts: number;
  readonly faults: number;
  /** How often the faults have fired. */
  readonly fired: number;
}

/** The changes after a cursor. */
export interface Changes {
  /** The cursor of the next question. */
  readonly cursor: string;
  /** Whether the changes since the cursor are not known. The reader must read the lists again. */
  readonly isReset: boolean;
  /** Whether there are more changes, which the next question returns. */
  readonly hasMore: boolean;
  readonly requests: readonly RequestSummary[];
  readonly payments: readonly PaymentSummary[];
  readonly deliveries: readonly DeliverySummary[];
  readonly overview: Overview;
}

/** Returns the changes after a cursor, at most `limit` of them. */
export type ReadChanges = (since: string | undefined, limit: number) => Changes;

/** The rows of the changed records. */
type Rows = Pick<Changes, 'requests' | 'payments' | 'deliveries'>;

/** The last change of a record. The record is converted when it is read; a replaced state may not have it any more. */
interface Change {
  readonly number: number;
  readonly kind: keyof Rows;
  readonly read: () => RequestSummary | PaymentSummary | DeliverySummary | undefined;
}

/** The number of changed records that are known. */
const CAPACITY = 20_000;

/** Observes the changes of a sandbox from now on. `epoch` distinguishes its cursors from those of another process. */
export function observeChanges(parts: Context, epoch: string, capacity: number = CAPACITY): ReadChanges {
  const { requestLog, deliveries, state } = parts;
  /** The last change of each record, in the order of the changes. */
  const latest = new Map<string, Change>();
  let count = 0;
  let dropped = 0;
  const note = (key: string, kind: keyof Rows, read: Change['read']): void => {
    count += 1;
    latest.delete(key);
    latest.set(key, { number: count, kind, read });
    if (latest.size <= capacity) return;
    const [[oldest, { number }] = ['', { number: 0 }]] = latest;
    dropped = number;
    latest.delete(oldest);
  };
  requestLog.watch((record) => {
    // Not the record, which the request log may drop.
    const row = toRequestSummary(record);
    note(row.id, 'requests', () => row);
  });
  deliveries.watch((accountState, { id }) =>
    note(`${accountState.source}\n${id}`, 'deliveries', () => {
      const delivery = accountState.deliveries.get(id);
      return delivery && toDeliverySummary(delivery, accountState);
    }),
  );
  state.watchers.add((accountState, { payment: { id } = {} }) => {
    if (id === undefined) return;
    note(`${accountState.source}\n${id}`, 'payments', () => {
      const payment = accountState.payments.get(id);
      return payment && toPaymentSummary(payment, accountState.account);
    });
  });
  return (since, limit) => {
    const prefix = `${epoch}.${state.restores}-`;
    const seen = since?.startsWith(prefix) ? Number(since.slice(prefix.length)) : -1;
    const isReset = !(seen >= dropped && seen <= count);
    const changes = isReset ? [] : [...latest.values()].filter(({ number }) => number > seen);
    const hasMore = changes.length > limit;
    const page = changes.slice(0, limit);
    const last = (hasMore ? page.at(-1)?.number : undefined) ?? count;
    return { cursor: prefix + last, isReset, hasMore, ...toRows(page), overview: readOverview(parts) };
  };
}

function toRows(changes: readonly Change[]): Rows {
  const rowsOf = (kind: keyof Rows): unknown[] =>
    changes.flatMap((change) => (change.kind === kind ? (change.read() ?? []) : []));
  const kinds = ['requests', 'payments', 'deliveries'] as const;
  return Object.fromEntries(kinds.map((kind) => [kind, rowsOf(kind)])) as object as Rows;
}

/** Converts a logged request to a row. */
export function toRequestSummary(record: LoggedRequest): RequestSummary {
  const { response, fault } = record;
  return {
    ...toRequestFields(record),
    status: response === null || response === 'connection_lost' ? response : response.status,
    fault: fault?.kind ?? null,
    payment_id: record.payment_id,
  };
}

/** Converts a delivery to a row. */
export function toDeliverySummary(
  { id, payment_id, event, state, attempts, next_at }: Delivery,
  { account, mode }: Pick<AccountState, 'account' | 'mode'>,
): DeliverySummary {
  const at = next_at === null ? null : new Date(next_at).toISOString();
  return { id, account, mode, payment_id, event, state, attempts: attempts.length, next_at: at };
}

function readOverview({ state, faults }: Context): Overview {
  const injected = [...faults.request.list(), ...faults.delivery.list()];
  const { clock } = state;
  return {
    clock: clock.mode,
    now: new Date(clock.now()).toISOString(),
    accounts: state.accounts.size,
    faults: injected.length,
    fired: injected.reduce((sum, { fired }) => sum + fired, 0),
  };
}
