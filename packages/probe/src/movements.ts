// The movements of the wallet that payments caused, from reads of the balance.
import type { Micro } from '@service/internal';
import { readBalance } from './call.ts';
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
  readonly id: string;
  readonly kind: 'debit' | 'refund';
  readonly amount: Micro;
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
  for (const currency of new Set(seen.payments.map((one) => one.currency))) {
    const reads = seen.balances.flatMap((call) => {
      const balance = readBalance(call, currency);
      return balance === undefined ? [] : [{ call, balance }];
    });
    for (const [index, { call, balance }] of reads.entries()) {
      const before = reads[index - 1];
      if (before === undefined || before.balance === balance) continue;
      const own = [...movements.values()].filter(
        ({ payment }) => payment.currency === currency && payment.create.order < call.order,
      );
      const events = explainChange(own.flatMap(listEvents), balance - before.balance);
      const shown: Interval = [before.call.start, call.end];
      if (events === undefined) unexplained.push(call.end);
      for (const { id, kind, amount } of events ?? []) {
        const movement = movements.get(id) as Movement;
        movements.set(
          id,
          kind === 'debit'
            ? { ...movement, debit: -amount, debited: shown }
            : { ...movement, refund: amount, refunded: shown },
        );
      }
    }
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

/** Returns the next movements that a payment can have. */
function listEvents({ payment: { id, send }, fee = 0n, debit, refund }: Movement): Event[] {
  if (debit === undefined)
    return unique([send, send + fee]).map((amount) => ({ id, kind: 'debit', amount: -amount }));
  if (refund !== undefined) return [];
  return unique([debit, debit - fee]).map((amount) => ({ id, kind: 'refund', amount }));
}

const unique = (amounts: readonly Micro[]): Micro[] => [...new Set(amounts)];

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
      events.slice(index + 1).filter(({ id }) => id !== event.id),
      size - 1,
      change - event.amount,
    ).map((rest) => [event, ...rest]),
  );
}
