import { type JsonObject, isRecord } from '@service/internal';
import { createValidationError } from '../errors/error-classes.ts';
import type { Beneficiary, Mode, Payment, Unchecked } from './models.ts';
import { type AmountSource, readMoney } from './money.ts';

/** Returns null for an optional field that is absent, null or empty (docs/contract.md#profile-settings). */
export function orNull(value: unknown): unknown {
  return value === '' ? null : (value ?? null);
}

/**
 * Converts `data` to a payment of the requested mode. Optional fields that are absent or empty become null.
 */
export function readPayment(
  raw: Unchecked<Payment>,
  { asked, source }: { readonly asked: Mode; readonly source: AmountSource },
): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    const { bank, account, country }: Unchecked<Beneficiary> = beneficiary;
    const optional = { bank: orNull(bank), account: orNull(account), country: orNull(country) };
    record.beneficiary = { ...beneficiary, ...optional };
  }
  return readMoney<Payment>({ record, source }, ['send_amount', 'rate', 'receive_amount']);
}

/**
 * Returns the mode of a payment id, or undefined for a value that is not a payment id
 * (docs/contract.md#payments).
 */
export function modeOfPaymentId(id: unknown): Mode | undefined {
  if (typeof id !== 'string') return undefined;
  return /^pay_(test|live)_[\w-]+$/.exec(id)?.[1] as Mode | undefined;
}

/**
 * Checks the form of a payment id and, if given, its mode.
 *
 * @throws {ValidationError} when the form or the mode is wrong.
 */
export function checkId(id: unknown, mode?: Mode): string {
  const found = modeOfPaymentId(id);
  if (found === undefined)
    throw createValidationError("A payment id must have the form 'pay_test_…' or 'pay_live_…'.");
  if (mode !== undefined && found !== mode) {
    throw createValidationError(`The payment is in ${found} mode, but the API key is in ${mode} mode.`);
  }
  return String(id);
}

/** The unit of amounts: that of the currency, its minor unit, such as cents, or one of the two. */
export type AmountUnit = 'units' | 'minor' | 'unclear';

/** The payments that a client received, and the unit of the amounts of transactions that they prove. */
export interface KnownAmounts {
  readonly payments: Map<string, Pick<Payment, 'from_currency' | 'send_amount'>>;
  unit: AmountUnit | undefined;
}

/** Maximum number of payments whose amounts a client keeps. */
const MAX_KNOWN = 1_000;

/** Keeps the amount of a payment. Returns the payment. */
export function keepAmount<T extends Payment | undefined>(payment: T, { payments }: KnownAmounts): T {
  if (payment) {
    const { id, from_currency, send_amount } = payment;
    payments.set(id, { from_currency, send_amount });
    const [oldest = id] = payments.keys();
    if (payments.size > MAX_KNOWN) payments.delete(oldest);
  }
  return payment;
}
