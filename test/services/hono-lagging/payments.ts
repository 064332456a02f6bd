import type { OrderInput } from './requests.ts';
import { createReplicated, type Replicated } from './replica.ts';

export interface PaymentState {
  readonly id: string;
  readonly tenant: string;
  readonly status: 'pending' | 'under_review' | 'processing' | 'completed' | 'failed';
  readonly order: OrderInput;
  readonly rate: bigint;
  readonly received: bigint;
  readonly createdAt: string;
}

export type Movement =
  | { readonly kind: 'payout'; readonly payment: Replicated<PaymentState>; readonly serial: number }
  | {
      readonly kind: 'funding';
      readonly currency: string;
      readonly cents: bigint;
      readonly at: string;
      readonly serial: number;
    };

export interface PaymentOptions {
  readonly random: () => number;
  readonly speed: number;
  /** Milliseconds until reads show a write. */
  readonly lag: number;
  /** Called after each change of a status. */
  readonly onChange: (payment: PaymentState) => void;
}

const REVIEW_ABOVE = 3_000_00n;
const durations = {
  pending: [800, 2_400],
  under_review: [2_000, 3_500],
  processing: [1_500, 5_000],
} as const;

/** Opens the payments and the wallets of one tenant. */
export function createLedger(tenant: string, { random, speed, lag, onChange }: PaymentOptions) {
  const payments = new Map<string, Replicated<PaymentState>>();
  const balances = createReplicated<Readonly<Record<string, bigint>>>({}, lag);
  const movements = createReplicated<readonly Movement[]>([], lag);

  const move = (currency: string, cents: bigint): void => {
    const current = balances.readPrimary();
    balances.write({ ...current, [currency]: (current[currency] ?? 0n) + cents });
  };

  function change(payment: Replicated<PaymentState>, status: PaymentState['status']): void {
    const state = { ...payment.readPrimary(), status };
    payment.write(state);
    if (status === 'failed') move(state.order.fromCurrency, state.order.cents);
    onChange(state);
    schedule(payment);
  }

  function findNext({ status, order }: PaymentState): PaymentState['status'] {
    const isRefused = order.beneficiary.account?.endsWith('FAIL') === true;
    if (status === 'pending' && order.cents > REVIEW_ABOVE) return 'under_review';
    if (status !== 'processing') return isRefused ? 'failed' : 'processing';
    return 'completed';
  }

  function schedule(payment: Replicated<PaymentState>): void {
    const state = payment.readPrimary();
    if (state.status === 'completed' || state.status === 'failed') return;
    const [shortest, longest] = durations[state.status];
    const duration = shortest + (longest - shortest) * random();
    setTimeout(() => change(payment, findNext(state)), duration / speed);
  }

  return {
    balances,
    movements,
    find: (id: string): PaymentState | undefined => payments.get(id)?.readReplica(),
    fund(currency: string, cents: bigint): void {
      move(currency, cents);
      const at = toLocalTime(new Date(Date.now() - 86_400_000));
      const rows = movements.readPrimary();
      movements.write([...rows, { kind: 'funding', currency, cents, at, serial: rows.length }]);
    },
    /** Returns undefined if the balance is too low. */
    create(order: OrderInput, terms: Pick<PaymentState, 'rate' | 'received'>): PaymentState | undefined {
      if ((balances.readPrimary()[order.fromCurrency] ?? 0n) < order.cents) return undefined;
      move(order.fromCurrency, -order.cents);
      const unique = Array.from({ length: 5 }, () =>
        Math.floor(random() * 2 ** 20)
          .toString(16)
          .padStart(5, '0'),
      );
      const id = `pay_test_${unique.join('')}`;
      const createdAt = toLocalTime(new Date());
      const state: PaymentState = { id, tenant, status: 'pending', order, ...terms, createdAt };
      // The replica has no version of a new payment until the lag is over.
      const payment = createReplicated(state, lag);
      payments.set(id, payment);
      const rows = movements.readPrimary();
      movements.write([...rows, { kind: 'payout', payment, serial: rows.length }]);
      onChange(state);
      schedule(payment);
      return state;
    },
  };
}

export type Ledger = ReturnType<typeof createLedger>;

/** Returns a timestamp with the offset of the service's location, which is one hour ahead of UTC. */
export function toLocalTime(date: Date): string {
  return new Date(date.getTime() + 3_600_000).toISOString().replace('Z', '+01:00');
}
