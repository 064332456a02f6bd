import { ApiException, invalidProperty, notFound } from './exceptions.ts';
import type { Ledger } from './ledger.ts';
import type { FailureReason, Mode, Payment, PaymentStatus } from './payment.ts';
import { createQuoteDto, type QuotesService } from './quotes.ts';
import type { RandomStream } from './random.ts';
import { durations, EXTENDED_SCREENING_FACTOR, EXTENDED_SCREENING_FROM, testAccounts } from './settings.ts';
import { type Timeline, vary } from './timeline.ts';
import { type Dto, optionalText, optionalUuid, text } from './validation.ts';

export const createPaymentDto = {
  ...createQuoteDto,
  quote_id: optionalUuid(),
  beneficiary_name: text(140),
  beneficiary_bank: optionalText(140),
  beneficiary_account: optionalText(34),
  beneficiary_country: optionalText(60),
  purpose: optionalText(140),
};

const accountClosed: FailureReason = {
  code: 'beneficiary_account_closed',
  message: 'The beneficiary bank reports that the account is closed',
};
const returnedByBank: FailureReason = {
  code: 'returned_by_beneficiary_bank',
  message: 'The beneficiary bank returned the transfer',
};

export interface PaymentsOptions {
  readonly mode: Mode;
  readonly ledger: Ledger;
  readonly quotes: QuotesService;
  readonly random: RandomStream;
  readonly timeline: Timeline;
  readonly onChange: (payment: Payment) => void;
}

/** The payments of one account in one mode. */
export class PaymentsService {
  readonly #payments = new Map<string, Payment>();
  readonly #options: PaymentsOptions;

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /** @throws {ApiException} when the payment cannot be made; it then leaves no trace */
  create(dto: Dto<typeof createPaymentDto>): Payment {
    const { mode, ledger, quotes, random, timeline } = this.#options;
    const quote = dto.quote_id === null ? undefined : quotes.find(dto.quote_id, dto);
    const { from, to, sendAmount, fee, rate, receiveAmount } = quote ?? quotes.price(dto);
    if (receiveAmount === 0n)
      throw invalidProperty('amount', 'receivable', `amount must be large enough to receive ${to}`);
    this.#checkGateway(dto.beneficiary_account);
    const createdAt = timeline.now();
    const payment: Payment = {
      id: `pay_${mode}_${random.uuid()}`,
      mode,
      status: 'pending',
      from,
      to,
      sendAmount,
      fee,
      rate,
      receiveAmount,
      quoteId: quote?.id ?? null,
      beneficiary: {
        name: dto.beneficiary_name,
        bank: dto.beneficiary_bank,
        account: dto.beneficiary_account,
        country: dto.beneficiary_country,
      },
      purpose: dto.purpose,
      failureReason: null,
      createdAt,
      updatedAt: createdAt,
    };
    ledger.reserve(payment);
    if (quote) quotes.markUsed(quote);
    this.#payments.set(payment.id, payment);
    this.#screen(payment);
    return payment;
  }

  /** @throws {ApiException} when the account has no such payment */
  find(id: string): Payment {
    const payment = this.#payments.get(id);
    if (!payment) throw notFound('Payment', id);
    return payment;
  }

  #checkGateway(account: string | null): void {
    const { mode, timeline } = this.#options;
    if (mode !== 'test' || account !== testAccounts.unavailable) return;
    const seconds = timeline.headerSeconds(timeline.scale(durations.outage));
    const message = 'The payment gateway is temporarily unavailable, please try again later';
    throw new ApiException(503, 'service_unavailable', message, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  #screen(payment: Payment): void {
    const { ledger, random, timeline } = this.#options;
    const factor = payment.sendAmount >= EXTENDED_SCREENING_FROM ? EXTENDED_SCREENING_FACTOR : 1;
    timeline.after(vary(durations.screening, random) * factor, () => {
      ledger.capture(payment);
      this.#change(payment, 'processing');
      timeline.after(vary(durations.transfer, random), () => this.#finish(payment));
    });
  }

  #finish(payment: Payment): void {
    const { ledger, random, timeline, mode } = this.#options;
    const account = mode === 'test' ? payment.beneficiary.account : null;
    if (account === testAccounts.closed) {
      ledger.refund(payment, payment.sendAmount + payment.fee);
      this.#change(payment, 'failed', accountClosed);
      return;
    }
    this.#change(payment, 'completed');
    if (account !== testAccounts.returned) return;
    // The service did its work: a return gives back the amount, not the fee.
    timeline.after(vary(durations.returnAfter, random), () => {
      ledger.refund(payment, payment.sendAmount);
      this.#change(payment, 'failed', returnedByBank);
    });
  }

  #change(payment: Payment, status: PaymentStatus, reason: FailureReason | null = null): void {
    const { ledger, timeline, onChange } = this.#options;
    payment.status = status;
    payment.failureReason = reason;
    payment.updatedAt = timeline.now();
    ledger.follow(payment);
    onChange(payment);
  }
}
