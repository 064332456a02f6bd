import { bindBody, type BodyContract, type BodySchema } from './body-binding.ts';
import { toMoney, type Decimal, type Money } from './decimal.ts';
import type { Payment, PaymentOrder, Transaction } from './entities.ts';
import { writeMoney, writeRate, type JsonObject } from './json-writer.ts';
import type { Quote } from './quotes.ts';
import { formatDateTimeOffset } from './time.ts';
import { maxLength, range, regularExpression, required, twoDecimalPlaces } from './validation.ts';

const currencyCode = [required, regularExpression('^[A-Z]{3}$')];
const amountLimits = range({ units: 1n, scale: 2 }, { units: 1_000_000n, scale: 0 });

const quoteProperties = {
  from_currency: { type: 'string', displayName: 'FromCurrency', attributes: currencyCode },
  to_currency: { type: 'string', displayName: 'ToCurrency', attributes: currencyCode },
  amount: {
    type: 'decimal',
    displayName: 'Amount',
    attributes: [required, amountLimits, twoDecimalPlaces],
  },
} as const satisfies BodySchema;

const createQuoteRequest: BodyContract<typeof quoteProperties> = {
  typeName: 'Payments.Api.Contracts.CreateQuoteRequest',
  properties: quoteProperties,
};

const paymentProperties = {
  ...quoteProperties,
  beneficiary_name: {
    type: 'string',
    displayName: 'BeneficiaryName',
    attributes: [required, maxLength(140)],
  },
  beneficiary_bank: {
    type: 'string',
    displayName: 'BeneficiaryBank',
    attributes: [maxLength(140)],
  },
  beneficiary_account: {
    type: 'string',
    displayName: 'BeneficiaryAccount',
    attributes: [maxLength(34)],
  },
  beneficiary_country: {
    type: 'string',
    displayName: 'BeneficiaryCountry',
    attributes: [maxLength(60)],
  },
  purpose: { type: 'string', displayName: 'Purpose', attributes: [maxLength(140)] },
} as const satisfies BodySchema;

const createPaymentRequest: BodyContract<typeof paymentProperties> = {
  typeName: 'Payments.Api.Contracts.CreatePaymentRequest',
  properties: paymentProperties,
};

export interface QuoteRequest {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly amount: Money;
}

export function readQuoteRequest(text: string): QuoteRequest {
  const body = bindBody(createQuoteRequest, text);
  return {
    fromCurrency: requireValue(body.from_currency),
    toCurrency: requireValue(body.to_currency),
    amount: readAmount(body.amount),
  };
}

export function readPaymentOrder(text: string): PaymentOrder {
  const body = bindBody(createPaymentRequest, text);
  return {
    fromCurrency: requireValue(body.from_currency),
    toCurrency: requireValue(body.to_currency),
    amount: readAmount(body.amount),
    beneficiaryName: requireValue(body.beneficiary_name),
    beneficiaryBank: body.beneficiary_bank,
    beneficiaryAccount: body.beneficiary_account,
    beneficiaryCountry: body.beneficiary_country,
    purpose: body.purpose,
  };
}

function readAmount(amount: Decimal | null): Money {
  return requireValue(toMoney(requireValue(amount)));
}

/** Narrows a value that the validation attributes guarantee. */
function requireValue<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new TypeError('The value was not validated.');
  return value;
}

export function toQuoteDto(quote: Quote): JsonObject {
  return {
    from_currency: quote.fromCurrency,
    to_currency: quote.toCurrency,
    send_amount: writeMoney(quote.amount),
    fee: writeMoney(quote.fee),
    rate: writeRate(quote.rate),
    receive_amount: writeMoney(quote.receiveAmount),
  };
}

export function toPaymentDto(payment: Payment): JsonObject {
  return {
    id: payment.id,
    status: payment.status,
    from_currency: payment.fromCurrency,
    to_currency: payment.toCurrency,
    send_amount: writeMoney(payment.amount),
    fee: writeMoney(payment.fee),
    rate: writeRate(payment.rate),
    receive_amount: writeMoney(payment.receiveAmount),
    beneficiary: {
      name: payment.beneficiaryName,
      bank: payment.beneficiaryBank,
      account: payment.beneficiaryAccount,
      country: payment.beneficiaryCountry,
    },
    purpose: payment.purpose,
    failure_reason: payment.failureReason,
    created_at: formatDateTimeOffset(payment.createdAt),
    updated_at: formatDateTimeOffset(payment.updatedAt),
  };
}

/** The status of a row follows its payment, except for the reversal of a failed payment. */
export function toTransactionDto(transaction: Transaction): JsonObject {
  return {
    id: transaction.id,
    type: transaction.type,
    status: getTransactionStatus(transaction),
    currency: transaction.currency,
    amount: writeMoney(transaction.amount),
    balance_after: writeMoney(transaction.balanceAfter),
    payment_id: transaction.payment?.id ?? null,
    description: transaction.description,
    created_at: formatDateTimeOffset(transaction.createdAt),
  };
}

export function getTransactionStatus({ type, payment }: Transaction): Payment['status'] {
  return payment === null || type === 'reversal' ? 'completed' : payment.status;
}

/** Body of the webhook notification of the current status. */
export function toNotificationDto(payment: Payment): JsonObject {
  return {
    event: `payment.${payment.status}`,
    created_at: formatDateTimeOffset(payment.updatedAt),
    data: {
      id: payment.id,
      status: payment.status,
      from_currency: payment.fromCurrency,
      to_currency: payment.toCurrency,
      send_amount: writeMoney(payment.amount),
      receive_amount: writeMoney(payment.receiveAmount),
      mode: payment.environment.mode,
    },
  };
}
