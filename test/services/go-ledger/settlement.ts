import type { Scheduler } from './clock.ts';
import type { Failure, Payment, PaymentStatus } from './payment.ts';
import type { Random } from './random.ts';

/** Accounts of the sandbox documentation. They have no effect in live mode. */
export const testAccounts = {
  closed: 'TESTCLOSED01',
  returned: 'TESTRETURN01',
  screened: 'TESTSCREEN01',
  outage: 'TESTOUTAGE01',
} as const;

const BATCH_INTERVAL = 3_000;
const SCREENING_TIME = 1_000;
const REVIEW_TIME = 5_000;
/** Payments from this amount are reviewed by hand, in hundredths of the source currency. */
const REVIEW_AMOUNT = 1_000_000n;
const MINIMUM_RAIL_TIME = 2_000;
const RAIL_TIME_STEP = 250;
const RETURN_TIME = 4_000;

const failures = {
  screened: { code: 'SCREENING_REJECTED', message: 'The beneficiary did not pass screening.' },
  closed: { code: 'ACCOUNT_CLOSED', message: 'The beneficiary account is closed.' },
  returned: { code: 'RETURNED_BY_BANK', message: 'The beneficiary bank returned the funds.' },
} as const satisfies Record<string, Failure>;

interface SettlementContext {
  readonly now: () => number;
  readonly schedule: Scheduler;
  readonly speed: number;
  readonly random: Random;
  readonly onStatusChange: (payment: Payment) => void;
}

interface AcceptedPayment {
  readonly payment: Payment;
  readonly reference: string;
  /** Time from the batch to the answer of the beneficiary bank. */
  readonly railTime: number;
}

/** Moves payments through their statuses. Batches leave at fixed intervals with all payments that are cleared. */
export class Settlement {
  readonly #context: SettlementContext;
  #queue: AcceptedPayment[] = [];

  constructor(context: SettlementContext) {
    this.#context = context;
    this.#scheduleBatch();
  }

  accept(payment: Payment): void {
    const bytes = this.#context.random.bytes();
    const railTime = MINIMUM_RAIL_TIME + (bytes.readUInt8(0) % 13) * RAIL_TIME_STEP;
    const reference = `NIP${bytes.readUIntBE(1, 6).toString().padStart(15, '0')}`;
    this.#queue.push({ payment, railTime, reference });
  }

  #scheduleBatch(): void {
    this.#context.schedule(BATCH_INTERVAL, () => {
      this.#scheduleBatch();
      const queue = this.#queue;
      this.#queue = queue.filter(({ payment }) => !this.#isCleared(payment));
      for (const accepted of queue) if (!this.#queue.includes(accepted)) this.#submit(accepted);
    });
  }

  #isCleared({ createdAt, price }: Payment): boolean {
    const age = (this.#context.now() - createdAt) * this.#context.speed;
    return age >= (price.send >= REVIEW_AMOUNT ? REVIEW_TIME : SCREENING_TIME);
  }

  #submit({ payment, reference, railTime }: AcceptedPayment): void {
    const { ledger } = payment.tenant;
    if (isTestAccount(payment, testAccounts.screened)) {
      ledger.release(payment.id);
      payment.failure = failures.screened;
      this.#change(payment, 'failed');
      return;
    }
    ledger.capture(payment.id);
    payment.railReference = reference;
    this.#change(payment, 'processing');
    this.#context.schedule(railTime, () => {
      this.#settle(payment);
    });
  }

  #settle(payment: Payment): void {
    if (isTestAccount(payment, testAccounts.closed)) {
      payment.tenant.ledger.reverse(payment.id, ['PAYMENT', 'FEE']);
      payment.failure = failures.closed;
      this.#change(payment, 'failed');
      return;
    }
    payment.completedAt = this.#context.now();
    this.#change(payment, 'completed');
    if (!isTestAccount(payment, testAccounts.returned)) return;
    this.#context.schedule(RETURN_TIME, () => {
      // The rail has done its work, so the fee stays with us.
      payment.tenant.ledger.reverse(payment.id, ['PAYMENT']);
      payment.failure = failures.returned;
      this.#change(payment, 'failed');
    });
  }

  #change(payment: Payment, status: PaymentStatus): void {
    payment.status = status;
    this.#context.onStatusChange(payment);
  }
}

function isTestAccount(payment: Payment, account: string): boolean {
  return payment.tenant.mode === 'test' && payment.beneficiary.account === account;
}
