import type { Deterministic } from './deterministic.ts';
import { ApiException, notFound } from './exceptions.ts';
import type { Account, Outcome, Payment } from './payment.ts';
import { checkPaymentLimit, isReviewed, priceOf } from './pricing.ts';
import type { PaymentRequest } from './requests.ts';
import { durations, type Mode, testAccounts } from './settings.ts';
import { now, plusMilliseconds } from './timestamps.ts';

/** Who sent a request, and with which key. */
export interface Principal {
  readonly account: Account;
  readonly mode: Mode;
}

export interface CreatedPayment {
  readonly payment: Payment;
  /** Whether an earlier request with the same idempotency key created the payment. */
  readonly isReplay: boolean;
}

interface StoredKey {
  readonly fingerprint: string;
  readonly payment: Payment;
}

interface PaymentServiceOptions {
  readonly random: Deterministic;
  readonly speed: number;
}

/** Countries that receive no payments. */
const embargo = new Set(['CU', 'IR', 'KP', 'SY']);

export class PaymentService {
  readonly #random: Deterministic;
  readonly #speed: number;
  readonly #payments = new Map<string, Payment>();
  readonly #keys = new Map<string, StoredKey>();

  constructor({ random, speed }: PaymentServiceOptions) {
    this.#random = random;
    this.#speed = speed;
  }

  /** All payments, oldest first. */
  get payments(): Iterable<Payment> {
    return this.#payments.values();
  }

  /** @throws {ApiException} when the payment is unknown or belongs to another account */
  find({ account, mode }: Principal, id: string): Payment {
    const payment = this.#payments.get(id);
    if (payment === undefined || payment.mode !== mode) throw notFound(`Payment ${id} does not exist`);
    if (payment.account !== account) throw new ApiException(403, 'access_denied', 'Access Denied');
    return payment;
  }

  /** Only payments that were created are stored with their key: a refused request can be sent again. */
  create(principal: Principal, request: PaymentRequest, key: string | undefined): CreatedPayment {
    const scope = `${principal.account.name}:${principal.mode}:${key}`;
    const stored = key === undefined ? undefined : this.#keys.get(scope);
    if (stored === undefined) {
      const payment = this.#create(principal, request);
      if (key !== undefined) this.#keys.set(scope, { fingerprint: request.fingerprint, payment });
      return { payment, isReplay: false };
    }
    if (stored.fingerprint === request.fingerprint) return { payment: stored.payment, isReplay: true };
    throw new ApiException(
      409,
      'idempotency_conflict',
      'The idempotency key belongs to a payment with other values',
    );
  }

  #create(principal: Principal, request: PaymentRequest): Payment {
    const { account, mode } = principal;
    const { corridor, beneficiary, purpose } = request;
    const price = priceOf(corridor, request.amount);
    if (mode === 'test' && beneficiary.account === testAccounts.unavailable) throw this.#outage();
    const wallets = account.wallets[mode];
    wallets.checkFunds(corridor.from, price.sendAmount.add(price.fee));
    checkPaymentLimit(corridor.from, price.sendAmount);
    const number = this.#payments.size;
    const id = `pay_${mode}_${this.#random.uuid('payment', number)}`;
    const posting = { currency: corridor.from, reference: id, narrative: purpose };
    const createdAt = now();
    const steps = this.#steps(number, isReviewed(corridor.from, price.sendAmount));
    const payment: Payment = {
      id,
      account,
      mode,
      corridor,
      price,
      beneficiary,
      purpose,
      createdAt,
      outcome: outcomeOf(request, mode),
      steps,
      entries: {
        payout: wallets.reserve({ ...posting, type: 'PAYOUT', amount: price.sendAmount }),
        fee: wallets.reserve({ ...posting, type: 'FEE', amount: price.fee }),
      },
      status: 'pending',
      updatedAt: createdAt,
      completedAt: undefined,
      failure: undefined,
      dueAt: plusMilliseconds(createdAt, steps.shift() ?? 0),
    };
    this.#payments.set(id, payment);
    return payment;
  }

  #steps(number: number, hasReview: boolean): number[] {
    const screening = this.#random.between(durations.screening, 'screening', number);
    return [
      screening + (hasReview ? durations.review : 0),
      this.#random.between(durations.clearing, 'clearing', number),
      this.#random.between(durations.return, 'return', number),
    ].map((milliseconds) => milliseconds / this.#speed);
  }

  #outage(): ApiException {
    const seconds = Math.ceil(durations.outage / this.#speed / 1_000);
    return new ApiException(
      503,
      'service_unavailable',
      'The verification of the beneficiary is not available',
      {
        headers: { 'Retry-After': String(seconds) },
      },
    );
  }
}

function outcomeOf({ beneficiary }: PaymentRequest, mode: Mode): Outcome {
  if (beneficiary.country !== null && embargo.has(beneficiary.country)) return 'refused';
  if (mode === 'live') return 'completed';
  if (beneficiary.account === testAccounts.rejected) return 'rejected';
  return beneficiary.account === testAccounts.returned ? 'returned' : 'completed';
}
