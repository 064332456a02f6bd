import { Fields } from './fields.ts';
import type { Beneficiary } from './payments.ts';
import type { PriceRequest } from './pricing.ts';

const LARGEST_PURPOSE = 140;

/** A checked body of a payment request. */
export interface PaymentRequest extends PriceRequest {
  readonly quoteId: string | null;
  readonly beneficiary: Beneficiary;
  readonly purpose: string | null;
}

/** @throws {ApiError} when a member is missing or wrong */
export function readPriceRequest(body: Readonly<Record<string, unknown>>): PriceRequest {
  const fields = new Fields(body);
  const request = readPrice(fields, 0.01);
  fields.check();
  return request;
}

/** @throws {ApiError} when a member is missing or wrong */
export function readPaymentRequest(body: Readonly<Record<string, unknown>>): PaymentRequest {
  const fields = new Fields(body);
  const request = {
    ...readPrice(fields, 1),
    beneficiary: {
      name: fields.requiredText('beneficiary_name', { minimum: 2, maximum: 100 }),
      bank: fields.optionalText('beneficiary_bank', { maximum: 100 }),
      account: fields.optionalText('beneficiary_account', {
        pattern: /^[A-Za-z0-9][A-Za-z0-9 -]{2,}[A-Za-z0-9]$/,
        hint: 'an account number or IBAN of letters, digits, spaces and hyphens',
        minimum: 4,
        maximum: 42,
      }),
      country: fields.optionalText('beneficiary_country', {
        pattern: /^[A-Z]{2}$/,
        hint: 'a country code of two capital letters (ISO 3166-1)',
      }),
    },
    purpose: fields.optionalText('purpose', { maximum: LARGEST_PURPOSE }),
    quoteId: fields.optionalText('quote_id'),
  };
  fields.check();
  return request;
}

function readPrice(fields: Fields, minimum: number): PriceRequest {
  const fromCurrency = fields.currency('from_currency');
  const toCurrency = fields.currency('to_currency');
  return {
    fromCurrency,
    toCurrency,
    sendMinor: fields.amount('amount', { currency: fromCurrency, minimum }),
  };
}
