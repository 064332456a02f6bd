// The movements of the wallet that payments caused, from reads of the balance.
import type { Micro } from '@service/internal';
import { type Call, readBalance } from './call.ts';
import { type Payment, perSeen, type Seen } from './seen.ts';
import type { Interval } from './time.ts';

/** What a payment moved in the wallet. */
export interface Movement {
  readonly payment: Payment;
  /** The fee of a quote for the same amount. Undefined without one. */
  readonly fee: Micro | undefined;
  /** What was taken, and the time within which the balance began to show it. */
  readonly debit?: Micro;
  readonly debited?: Interval;
  /** What came back. */
  readonly refund?: Micro;
  readonly refunded?: Interval;
}

/** A change of the balance that payments can explain. */
interface Event {
  readonly amount: Micro;
  /** The movement of its payment with this change. */
  readonly after: Movement;
}

/** The most movements between two reads. */
const MOST_EVENTS = 4;

/** The movements of all payments, and the times of changes of balances that they do not explain. */
export interface WalletHistory {
  readonly movements: readonly Movement[];
  readonly unexplained: readonly number[];
}

/** Returns the movements of the payments, and the changes of a balance that they do not explain. */
export const readWalletHistory: (seen: Seen) => WalletHistory = perSeen((seen) => {
  const movements = new Map<string, Movement>();
  for (const payment of seen.payments) movements.set(payment.id, { payment, fee: findFee(payment, seen) });
  const unexplained: number[] = [];
  const currencies = new Set(seen.payments.map((one) => one.currency));
  for (const [index, call] of seen.balances.slice(1).entries())
    for (const currency of currencies) {
      const before = seen.balances[index] as Call;
      const [from, to] = [readBalance(before, currency), readBalance(call, currency)];
      if (from === undefined || to === undefined || from === to) continue;
      const own = [...movements.values()].filter(
        ({ payment }) => payment.currency === currency && payment.create.order < call.order,
      );
      const shown: Interval = [before.start, call.end];
      const events = explainChange(
        own.flatMap((one) => listEvents(one, shown)),
        to - from,
      );
      if (events === undefined) unexplained.push(call.end);
      for (const { after } of events ?? []) movements.set(after.payment.id, after);
    }
  return { movements: [...movements.values()], unexplained };
});

/** Returns the movements of the payments. */
export const readMovements = (seen: Seen): readonly Movement[] => readWalletHistory(seen).movements;

function findFee({ create: { sent }, send }: Payment, { quotes }: Seen): Micro | undefined {
  return quotes.find(
    (one) => one.send === send && one.from === sent.from_currency && one.to === sent.to_currency,
  )?.fee;
}

/** Returns the next changes of the balance that a payment can cause: each with its fee or without. */
function listEvents(before: Movement, shown: Interval): Event[] {
  const { payment, fee = 0n, debit, refund } = before;
  if (refund !== undefined) return [];
  const amounts = debit === undefined ? [payment.send, payment.send + fee] : [debit, debit - fee];
  return [...new Set(amounts)].map((amount) =>
    debit === undefined
      ? { amount: -amount, after: { ...before, debit: amount, debited: shown } }
      : { amount, after: { ...before, refund: amount, refunded: shown } },
  );
}

/** Returns the fewest events that add up to a change. Undefined if none do, or several sets of as many. */
function explainChange(events: readonly Event[], change: Micro): Event[] | undefined {
  for (let size = 1; size <= MOST_EVENTS; size += 1) {
    const sets = listSets(events, size, change);
    if (sets.length > 0) return sets.length === 1 ? sets[0] : undefined;
  }
  return undefined;
}

function listSets(events: readonly Event[], size: number, change: Micro): Event[][] {
  if (size === 0) return change === 0n ? [[]] : [];
  return events.flatMap((event, index) =>
    listSets(
      events.slice(index + 1).filter(({ after }) => after.payment !== event.after.payment),
      size - 1,
      change - event.amount,
    ).map((rest) => [event, ...rest]),
  );
}
