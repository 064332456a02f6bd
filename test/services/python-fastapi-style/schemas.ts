import { ApiError, createValidationError, type FieldError } from './errors.ts';
import {
  amountField,
  type Checked,
  checkFields,
  enumField,
  type Field,
  integerField,
  optionalField,
  stringField,
} from './fields.ts';
import { FloatNumber, type JsonValue } from './json.ts';
import { type Payment, paymentStatuses, type Transaction, transactionTypes } from './models.ts';
import { currencies, type Quote } from './quotes.ts';
import { formatIsoTime } from './clock.ts';

export const quoteFields = {
  from_currency: enumField(currencies),
  to_currency: enumField(currencies),
  amount: amountField,
};

export const paymentFields = {
  ...quoteFields,
  beneficiary_name: stringField(1, 140),
  beneficiary_bank: optionalField(stringField(0, 140)),
  beneficiary_account: optionalField(stringField(0, 34)),
  beneficiary_country: optionalField(stringField(0, 60)),
  purpose: optionalField(stringField(0, 140)),
};

export const idempotencyFields = { 'idempotency-key': optionalField(stringField(1, 255)) };

export const transactionFields = {
  page: integerField(1, 1),
  per_page: integerField(20, 1, 100),
  status: optionalField(enumField(paymentStatuses)),
  type: optionalField(enumField(transactionTypes)),
};

/**
 * Reads the JSON body of a request.
 * @throws {ApiError} when it is not JSON.
 */
export function checkBody<F extends Readonly<Record<string, Field<unknown>>>>(
  bytes: Buffer,
  contentType: string,
  fields: F,
): Checked<ReturnType<typeof checkFields<F>>['model']> {
  const body = parseBody(bytes, contentType);
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return checkFields('body', body as Readonly<Record<string, unknown>>, fields);
  const error: FieldError =
    body === null
      ? { loc: ['body'], msg: 'Field required', type: 'missing' }
      : {
          loc: ['body'],
          msg: 'Input should be a valid dictionary or object to extract fields from',
          type: 'model_attributes_type',
        };
  return { ...checkFields('body', {}, fields), errors: [error] };
}

/** Returns the text of a body of another media type as it is: the framework validates it against the model. */
function parseBody(bytes: Buffer, contentType: string): unknown {
  if (bytes.length === 0) return null;
  const [mediaType = ''] = contentType.toLowerCase().split(';');
  if (!/^application\/([\w.-]+\+)?json$/.test(mediaType.trim())) return bytes.toString('latin1');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, 'bad_request', 'There was an error parsing the body');
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const [, position = '0'] = /position (\d+)/.exec(String(error)) ?? [];
    const loc = ['body', Number(position)];
    throw createValidationError([{ loc, msg: 'JSON decode error', type: 'json_invalid' }]);
  }
}

export function toMoney(amount: bigint): FloatNumber {
  return new FloatNumber(amount, 2);
}

export function toQuoteJson(quote: Quote): JsonValue {
  return {
    from_currency: quote.fromCurrency,
    to_currency: quote.toCurrency,
    send_amount: toMoney(quote.sendAmount),
    fee: toMoney(quote.fee),
    rate: new FloatNumber(quote.rate, 6),
    receive_amount: toMoney(quote.receiveAmount),
  };
}

export function toPaymentJson({ id, status, quote, order, ...payment }: Payment): JsonValue {
  return {
    id,
    status,
    from_currency: quote.fromCurrency,
    to_currency: quote.toCurrency,
    send_amount: toMoney(quote.sendAmount),
    fee: toMoney(quote.fee),
    rate: new FloatNumber(quote.rate, 6),
    receive_amount: toMoney(quote.receiveAmount),
    beneficiary: { ...order.beneficiary },
    purpose: order.purpose,
    failure_reason: payment.failureReason,
    created_at: formatIsoTime(payment.createdAt),
    updated_at: formatIsoTime(payment.updatedAt),
  };
}

export function toTransactionJson(transaction: Transaction): JsonValue {
  const { id, type, currency, payment, description } = transaction;
  return {
    id,
    type,
    status: getTransactionStatus(transaction),
    currency,
    amount: toMoney(transaction.amount),
    balance_after: toMoney(transaction.balanceAfter),
    payment_id: payment?.id ?? null,
    description,
    created_at: formatIsoTime(transaction.createdAt),
  };
}

/** Returns the status of the payment for its debit; each other entry is final. */
export function getTransactionStatus({ type, payment }: Transaction): Payment['status'] {
  return type === 'payment' && payment ? payment.status : 'completed';
}
