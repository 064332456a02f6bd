import type { Failure, Payment, PaymentStatus } from './payment.ts';
import { now, plusMilliseconds } from './timestamps.ts';

const failures = {
  refused: { code: 'RR04', reason: 'Regulatory reason' },
  rejected: { code: 'AC04', reason: 'Closed account number' },
  returned: { code: 'AC06', reason: 'Blocked account' },
} as const satisfies Record<string, Failure>;

type StatusListener = (payment: Payment, previous: PaymentStatus) => void;

/** Moves every payment that is due by one step, in the order of their times. */
export function settleDuePayments(payments: Iterable<Payment>, onChange: StatusListener): void {
  const time = now();
  const due = [...payments]
    .flatMap((payment) => (payment.dueAt === undefined ? [] : [{ payment, dueAt: payment.dueAt }]))
    .filter(({ dueAt }) => dueAt <= time)
    .toSorted((a, b) => Number(a.dueAt - b.dueAt));
  for (const { payment } of due) {
    const previous = payment.status;
    payment.dueAt = undefined;
    payment.updatedAt = now();
    settle(payment);
    onChange(payment, previous);
  }
}

function settle(payment: Payment): void {
  const { status, outcome, account, mode, corridor, price, entries } = payment;
  const wallets = account.wallets[mode];
  const posting = { currency: corridor.from, reference: payment.id, narrative: payment.purpose };
  if (status === 'pending' && outcome === 'refused') {
    wallets.release(entries.payout);
    wallets.release(entries.fee);
    fail(payment, failures.refused);
  } else if (status === 'pending') {
    wallets.book(entries.payout);
    wallets.book(entries.fee);
    payment.status = 'processing';
    scheduleNextStep(payment);
  } else if (status === 'processing' && outcome === 'rejected') {
    wallets.credit({ ...posting, type: 'REVERSAL', amount: price.sendAmount.add(price.fee) });
    fail(payment, failures.rejected);
  } else if (status === 'processing') {
    payment.status = 'completed';
    payment.completedAt = payment.updatedAt;
    if (outcome === 'returned') scheduleNextStep(payment);
  } else {
    // The fee of a returned payment is not paid back: the transfer was made.
    wallets.credit({ ...posting, type: 'RETURN', amount: price.sendAmount });
    fail(payment, failures.returned);
  }
}

function fail(payment: Payment, failure: Failure): void {
  payment.status = 'failed';
  payment.failure = failure;
}

function scheduleNextStep(payment: Payment): void {
  payment.dueAt = plusMilliseconds(payment.updatedAt, payment.steps.shift() ?? 0);
}
