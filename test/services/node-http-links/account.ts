import { EventEmitter } from 'node:events';
import { Money } from './money.ts';

export interface Beneficiary {
  readonly name: string;
  readonly bank: string | null;
  readonly account: string | null;
  readonly country: string | null;
}

export interface Posting {
  readonly id: string;
  readonly type: 'PAYOUT' | 'CHARGE' | 'RETURN' | 'LOAD';
  readonly value: Money;
  readonly paymentId: string | null;
  readonly text: string;
  readonly bookedAt: Date;
}

export type Status = 'pending' | 'processing' | 'completed' | 'failed';

export class Payment {
  status: Status = 'pending';
  readonly createdAt: Date = new Date();
  readonly id: string;
  readonly sent: Money;
  readonly received: Money;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;

  constructor(id: string, sent: Money, to: string, beneficiary: Beneficiary, purpose: string | null) {
    this.id = id;
    this.sent = sent;
    this.received = sent.convert(to);
    this.beneficiary = beneficiary;
    this.purpose = purpose;
  }

  get cost(): Money {
    return this.sent.plus(this.sent.fee);
  }
}

const DECLINED = 'DE00DECLINED';
const RETURNED = 'DE00RETURNED';

export class Account extends EventEmitter<{ change: [Payment] }> {
  readonly payments = new Map<string, Payment>();
  readonly postings: Posting[] = [];
  readonly #random: () => number;
  readonly #speed: number;

  /** @param speed Factor by which durations are shorter. */
  constructor(random: () => number, speed: number) {
    super();
    this.#random = random;
    this.#speed = speed;
  }

  load(amount: string, currency: string): void {
    const value = Money.parse(amount, currency);
    const bookedAt = new Date(Date.now() - 86_400_000);
    this.#post({ type: 'LOAD', value, paymentId: null, text: 'Opening balance', bookedAt });
  }

  get currencies(): readonly string[] {
    return [...new Set(this.postings.map(({ value }) => value.currency))];
  }

  booked(currency: string): Money {
    return this.postings
      .filter(({ value }) => value.currency === currency)
      .reduce((sum, { value }) => sum.plus(value), new Money(0n, currency));
  }

  /** Returns whether a payment is covered. Pending payments reserve their cost until processing debits it. */
  canPay({ cost }: Payment): boolean {
    const reserved = [...this.payments.values()]
      .filter(({ status, sent }) => status === 'pending' && sent.currency === cost.currency)
      .reduce((sum, payment) => sum + payment.cost.units, 0n);
    return this.booked(cost.currency).units - reserved >= cost.units;
  }

  newPaymentId(): string {
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    return `pay_test_${day}_${Math.floor(this.#random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')}`;
  }

  start(payment: Payment): void {
    this.payments.set(payment.id, payment);
    this.#later([1_000, 2_500], () => this.#process(payment));
  }

  #process(payment: Payment): void {
    if (payment.beneficiary.account === DECLINED) return this.#change(payment, 'failed');
    const entry = {
      paymentId: payment.id,
      text: payment.purpose ?? payment.beneficiary.name,
      bookedAt: new Date(),
    };
    this.#post({ ...entry, type: 'PAYOUT', value: payment.sent.negate() });
    this.#post({ ...entry, type: 'CHARGE', value: payment.sent.fee.negate() });
    this.#change(payment, 'processing');
    this.#later([2_000, 6_000], () => this.#complete(payment));
  }

  #complete(payment: Payment): void {
    this.#change(payment, 'completed');
    if (payment.beneficiary.account === RETURNED) this.#later([3_000, 3_000], () => this.#return(payment));
  }

  /** Returns the amount without the fee. */
  #return(payment: Payment): void {
    const entry = { paymentId: payment.id, text: 'Returned by the bank', bookedAt: new Date() };
    this.#post({ ...entry, type: 'RETURN', value: payment.sent });
    this.#change(payment, 'failed');
  }

  #change(payment: Payment, status: Status): void {
    payment.status = status;
    this.emit('change', payment);
  }

  #post(posting: Omit<Posting, 'id'>): void {
    const id = String(this.postings.length + 1).padStart(8, '0');
    this.postings.push({ ...posting, id: `${posting.type.slice(0, 2)}-${id}` });
  }

  #later([shortest, longest]: readonly [number, number], job: () => void): void {
    setTimeout(job, (shortest + (longest - shortest) * this.#random()) / this.#speed);
  }
}
