import { createHash } from 'node:crypto';
import type { BigDecimal } from './big-decimal.ts';
import { bind, decimalMin, digits, notBlank, notNull, pattern, type Property, size } from './binding.ts';
import type { Corridor } from './pricing.ts';

export interface QuoteRequest {
  readonly corridor: Corridor;
  readonly amount: BigDecimal;
}

export interface Beneficiary {
  readonly name: string;
  readonly bank: string | null;
  readonly account: string | null;
  readonly country: string | null;
}

export interface PaymentRequest {
  readonly corridor: Corridor;
  readonly amount: BigDecimal;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | undefined;
  /** Digest of all values, to compare requests with the same idempotency key. */
  readonly fingerprint: string;
}

const currencyProperties: readonly Property[] = [
  currencyProperty('from_currency', 'fromCurrency'),
  currencyProperty('to_currency', 'toCurrency'),
];

const quoteProperties: readonly Property[] = [
  ...currencyProperties,
  {
    json: 'amount',
    name: 'amount',
    type: 'BigDecimal',
    constraints: [notNull, decimalMin('0.01'), digits(12, 6)],
  },
];

const paymentProperties: readonly Property[] = [
  ...currencyProperties,
  {
    json: 'amount',
    name: 'amount',
    type: 'BigDecimal',
    constraints: [notNull, decimalMin('1.00'), digits(12, 2)],
  },
  {
    json: 'beneficiary_name',
    name: 'beneficiaryName',
    type: 'String',
    constraints: [notBlank, size(140)],
  },
  textProperty('beneficiary_bank', 'beneficiaryBank', 140),
  textProperty('beneficiary_account', 'beneficiaryAccount', 64),
  textProperty('beneficiary_country', 'beneficiaryCountry', 60),
  textProperty('purpose', 'purpose', 140),
];

/** @throws {ApiException} when the body is not valid */
export function readQuoteRequest(body: Buffer): QuoteRequest {
  const request = bind(body, quoteProperties);
  const corridor = { from: request.text('from_currency'), to: request.text('to_currency') };
  return { corridor, amount: request.decimal('amount') };
}

/** @throws {ApiException} when the body is not valid */
export function readPaymentRequest(body: Buffer): PaymentRequest {
  const request = bind(body, paymentProperties);
  const values = {
    corridor: { from: request.text('from_currency'), to: request.text('to_currency') },
    amount: request.decimal('amount'),
    beneficiary: {
      name: request.text('beneficiary_name'),
      bank: request.optionalText('beneficiary_bank') ?? null,
      account: request.optionalText('beneficiary_account')?.replace(/\s/g, '').toUpperCase() ?? null,
      country: request.optionalText('beneficiary_country') ?? null,
    },
    purpose: request.optionalText('purpose'),
  };
  const fingerprint = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return { ...values, fingerprint };
}

function currencyProperty(json: string, name: string): Property {
  return { json, name, type: 'String', constraints: [notNull, pattern(/^[A-Z]{3}$/)] };
}

function textProperty(json: string, name: string, max: number): Property {
  return { json, name, type: 'String', constraints: [size(max)] };
}
