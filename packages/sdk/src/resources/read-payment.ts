import type { Reading } from '../transport/call.ts';
import { isRecord, type JsonObject, orNull, pickOrNull } from '../values/json.ts';
import type { Payment } from '../values/models.ts';
import { readMoney } from '../values/money.ts';
import { modeOfPaymentId } from '../values/payment-id.ts';

/** Reads a payment of the mode that was asked; optional fields that the service left out or empty become null (spec §2). */
export function toPayment(raw: JsonObject, { asked, source }: Reading): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    record.beneficiary = { ...beneficiary, ...pickOrNull(beneficiary, ['bank', 'account', 'country']) };
  }
  return readMoney<Payment>({ record, source }, ['send_amount', 'rate', 'receive_amount']);
}
