import { z } from 'zod';

const currency = z.string().regex(/^[A-Z]{3}$/);
const amount = z
  .number()
  .min(0.01)
  .max(1e9)
  .refine((value) => /^\d+(?:\.\d{1,2})?$/.test(String(value)), 'At most two decimal places');
const sum = { from_currency: currency, to_currency: currency, amount };
const text = z.string().max(500);

export const quoteBody = z.object(sum);
export const paymentBody = z.object({
  ...sum,
  beneficiary_name: z.string().min(2).max(120),
  beneficiary_bank: text.nullish(),
  beneficiary_account: text.nullish(),
  beneficiary_country: text.nullish(),
  purpose: text.nullish(),
});
export const listQuery = z.object({
  per_page: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z
    .string()
    .regex(/^c_\d+$/)
    .optional(),
  status: z.string().optional(),
  type: z.string().optional(),
});

export interface OrderInput {
  readonly fromCurrency: string;
  readonly toCurrency: string;
  readonly cents: bigint;
  readonly beneficiary: Readonly<Record<'name' | 'bank' | 'account' | 'country', string | null>>;
  readonly purpose: string | null;
}

/** Returns the cents of an amount with at most two decimal places. */
export function toCents(value: number): bigint {
  const [units = '0', places = ''] = String(value).split('.');
  return BigInt(units + places.padEnd(2, '0'));
}

export function toOrder(body: z.infer<typeof paymentBody>): OrderInput {
  return {
    fromCurrency: body.from_currency,
    toCurrency: body.to_currency,
    cents: toCents(body.amount),
    beneficiary: {
      name: body.beneficiary_name,
      bank: body.beneficiary_bank ?? null,
      account: body.beneficiary_account ?? null,
      country: body.beneficiary_country ?? null,
    },
    purpose: body.purpose ?? null,
  };
}
