import type { ReadContext } from '../transport/call.ts';
import { type JsonObject, isRecord } from '@service/internal';
import { orNull, pickOrNull } from '../values/json.ts';
import type { Payment } from '../values/models.ts';
import { readMoney } from '../values/money.ts';
import { modeOfPaymentId } from '../values/payment-id.ts';

/**
 * Converts `data` to a payment of the requested mode. Optional fields that are absent or empty become null.
 */
export function toPayment(raw: JsonObject, { asked, source }: ReadContext): Payment | undefined {
  const { id, status, beneficiary, purpose } = raw;
  if (modeOfPaymentId(id) !== asked || typeof status !== 'string') return undefined;
  const record: JsonObject = { ...raw, purpose: orNull(purpose) };
  if (isRecord(beneficiary)) {
    record.beneficiary = { ...beneficiary, ...pickOrNull(beneficiary, ['bank', 'account', 'country']) };
  }
  return readMoney<Payment>({ record, source }, ['send_amount', 'rate', 'receive_amount']);
}
