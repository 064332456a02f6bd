import type { Payment } from '../src/domain/payment.ts';
import { defaultProfile } from '../src/domain/profile.ts';

/** A payment of 1000 USD to EUR as a domain object. */
export function somePayment(fields: Partial<Payment> = {}): Payment {
  return {
    id: 'pay_test_1',
    mode: 'test',
    status: 'pending',
    from_currency: 'USD',
    to_currency: 'EUR',
    send_amount: 100_000n,
    fee: 500n,
    debit: 100_000n,
    rate: 921_300n,
    receive_amount: 91_669n,
    beneficiary: { name: 'A', bank: null, account: null, country: null },
    purpose: null,
    history: { pending: 0 },
    terms: defaultProfile,
    outcome: 'ok',
    debit_row: 0,
    next: null,
    ...fields,
  };
}
