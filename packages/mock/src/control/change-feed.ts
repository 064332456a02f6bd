import type { Mode, OperationId } from '@service/contract';
import { clearTimeout, createDeferred, redactKeys, setTimeout } from '@service/internal';
import type { Delivery, DeliveryState } from '../domain/delivery.ts';
import type { FaultKind } from '../domain/fault.ts';
import type { EventName } from '../domain/payment.ts';
import type { AccountState } from '../state/account-state.ts';
import type { ClockMode } from '../state/clock.ts';
import type { LoggedRequest } from '../state/logged-request.ts';
import { createRingBuffer } from '../state/request-log.ts';
import type { Context } from './context.ts';
import { type PaymentSummary, toPaymentSummary } from './payment-view.ts';

/** A logged request as a row of a table. */
export interface RequestSummary {
  readonly id: string;
  /** Sandbox time, ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly account: string | null;
  readonly mode: Mode | null;
  readonly operation: OperationId | null;
  /** The status of the response, null until then. */
  readonly status: number | 'connection_lost' | null;
  readonly fault: FaultKind | null;
  /** The payment that the request created. */
  readonly payment_id: string | null;
}

/** A webhook delivery as a row of a table. */
export interface DeliverySummary {
  readonly id: string;
  readonly account: string;
  readonly mode: Mode;
  readonly payment_id: string;
  readonly event: EventName;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_at: string | null;
}

/** The clock and the counts that a page shows at all times. */
export interface Overview {
  readonly clock: ClockMode;
  /** The time of a manual clock, ISO 8601; null for a running clock. */
  readonly now: string | null;
  readonly accounts: number;
  readonly faults: number;
  /** How often the faults have fired. */
  readonly fired: number;
}

/** The changes since an id. */
export interface Changes {
  /** Whether the state was replaced by a reset or a restart. The reader must read everything again. */
  readonly isReset?: true;
  /** Whether only the newest changes are listed. The reader must read the lists again for the others. */
  readonly isPartial?: true;
  readonly requests?: readonly RequestSummary[];
  readonly payments?: readonly PaymentSummary[];
  readonly deliveries?: readonly DeliverySummary[];
  readonly overview?: Overview;
}

/** The changes of a sandbox, in order. */
export interface ChangeFeed {
  /** Returns the changes after an id as server-sent events, until the signal is aborted. */
  readonly stream: (options: StreamOptions, signal: AbortSignal) => AsyncIterable<string>;
}

/** The start of a stream, and the maximum number of changes per event. */
interface StreamOptions {
  readonly since?: string | undefined;
  /** @default CAPACITY */
  readonly limit?: number | undefined;
}

/** A changed record. It is converted when it is read, so that a record that changes often is converted once. */
type Change =
  | { readonly kind: 'request'; readonly record: LoggedRequest }
  | { readonly kind: 'payment' | 'delivery'; readonly accountState: AccountState; readonly id: string };

/** Maximum number of changes in an event, also after a lost connection. */
export const CAPACITY = 20_000;
/** Time between two events, and between two looks at the clock and the settings, in milliseconds. */
const INTERVAL = 100;
/** Time after an event with many changes: a person cannot read them faster, and each event costs the page a rendering. */
const BUSY_INTERVAL = 500;
const MANY_CHANGES = 20;
/** Number of intervals without an event after which a connection gets a comment, so that no proxy closes it. */
const KEEP_ALIVE_TICKS = 150;

/** Creates a feed. It observes the sandbox from now on. `epoch` distinguishes its ids from those of other feeds. */
export function createChangeFeed(parts: Context, epoch: string): ChangeFeed {
  const buffer = createChangeBuffer(parts);
  return {
    async *stream({ since, limit = CAPACITY }, signal) {
      let seen = readId(since, epoch) ?? Infinity;
      let overview = '';
      let { restores } = parts.state;
      for (let idleTicks = 0; !signal.aborted; idleTicks += 1) {
        const missed = restores === parts.state.restores ? buffer.count() - seen : -1;
        ({ restores } = parts.state);
        seen = buffer.count();
        const current = readOverview(parts);
        const text = JSON.stringify(current);
        const event: Changes = {
          ...(missed < 0 && { isReset: true }),
          ...(missed > limit && { isPartial: true }),
          ...summarize(buffer.readLast(Math.min(missed, limit))),
          ...(text !== overview && { overview: current }),
        };
        overview = text;
        if (Object.keys(event).length > 0) {
          idleTicks = 0;
          yield `id: ${epoch}-${seen}\nevent: changes\ndata: ${JSON.stringify(event)}\n\n`;
        } else if (idleTicks % KEEP_ALIVE_TICKS === 0) yield ': keep-alive\n\n';
        await wait(missed > MANY_CHANGES ? BUSY_INTERVAL : INTERVAL, signal);
      }
    },
  };
}

interface ChangeBuffer {
  /** Returns the number of changes so far. */
  readonly count: () => number;
  /** Returns the latest changes, oldest first. */
  readonly readLast: (wanted: number) => readonly Change[];
}

/** Creates a buffer of the latest changes of a sandbox. */
function createChangeBuffer({ requestLog, deliveries, state }: Context): ChangeBuffer {
  const buffer = createRingBuffer<Change>(CAPACITY);
  let count = 0;
  const add = (change: Change): void => {
    if (buffer.count() >= CAPACITY) buffer.shift();
    buffer.push(change);
    count += 1;
  };
  requestLog.watch((record) => add({ kind: 'request', record }));
  deliveries.watch((accountState, { id }) => add({ kind: 'delivery', accountState, id }));
  state.watchers.add((accountState, { payment }) => {
    if (payment !== undefined) add({ kind: 'payment', accountState, id: payment.id });
  });
  return {
    count: () => count,
    readLast: (wanted) => (wanted > 0 ? buffer.list().slice(-wanted) : []),
  };
}

/** Converts each changed record once, in its current form. */
function summarize(changes: readonly Change[]): Omit<Changes, 'overview'> {
  const requests = new Set<LoggedRequest>();
  const payments = new Map<string, PaymentSummary>();
  const deliveries = new Map<string, DeliverySummary>();
  for (const change of changes) {
    if (change.kind === 'request') {
      requests.add(change.record);
      continue;
    }
    const { kind, accountState, id } = change;
    const payment = kind === 'payment' && !payments.has(id) && accountState.payments.get(id);
    if (payment) payments.set(id, toPaymentSummary(payment, accountState.account));
    const delivery = kind === 'delivery' && !deliveries.has(id) && accountState.deliveries.get(id);
    if (delivery) deliveries.set(id, toDeliverySummary(delivery, accountState));
  }
  return {
    ...(requests.size > 0 && { requests: [...requests].map(toRequestSummary) }),
    ...(payments.size > 0 && { payments: [...payments.values()] }),
    ...(deliveries.size > 0 && { deliveries: [...deliveries.values()] }),
  };
}

/** Converts a logged request to a row. */
export function toRequestSummary(record: LoggedRequest): RequestSummary {
  const { id, at, method, path, search, account, mode, operation, response, fault } = record;
  return {
    id,
    at: new Date(at).toISOString(),
    method: redactKeys(method),
    path: redactKeys(path),
    query: redactKeys(search),
    account,
    mode,
    operation,
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
  return {
    id,
    account,
    mode,
    payment_id,
    event,
    state,
    attempts: attempts.length,
    next_at: next_at === null ? null : new Date(next_at).toISOString(),
  };
}

function readOverview({ state, faults, deliveries }: Context): Overview {
  const injected = [...faults.list(), ...deliveries.faults.list()];
  const { clock } = state;
  return {
    clock: clock.mode,
    now: clock.mode === 'manual' ? new Date(clock.now()).toISOString() : null,
    accounts: state.accounts.size,
    faults: injected.length,
    fired: injected.reduce((sum, { fired }) => sum + fired, 0),
  };
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = createDeferred();
  const timer = setTimeout(resolve, milliseconds);
  const end = (): void => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener('abort', end, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', end));
}

function readId(id: string | undefined, epoch: string): number | undefined {
  const [, of, seen] = /^(.+)-(\d{1,15})$/.exec(id ?? '') ?? [];
  return of === epoch ? Number(seen) : undefined;
}
