import type { Refusal } from '@service/internal';
import { createTestPayment, type ProbeContext, requireData } from '../context.ts';
import { isRefusal, type RawRequest, type RawResponse } from '../raw-client.ts';
import { type Refused, toSample } from '../templates/refusal.ts';
import { readBalance } from './watch.ts';

/** A refused request. */
interface Attempt {
  readonly refusal: Refusal;
  readonly path: string;
  readonly request?: RawRequest;
}

/** The responses of each refusal. */
export type Seen = Map<Refusal, Refused>;

/** Sends the requests that a service refuses, except those with an invalid field. */
export async function collectRefusals(context: ProbeContext): Promise<Seen> {
  const seen: Seen = new Map();
  for (const { refusal, path, request } of listAttempts(context))
    note(seen, refusal, await context.send(path, request));
  if (context.plan.payments)
    await refusePayments(context, (refusal, response) => note(seen, refusal, response));
  return seen;
}

/** Adds the response of a refusal, if it is one. */
export function note(seen: Seen, refusal: Refusal, response: RawResponse): void {
  if (!isRefusal(response)) return;
  const { responses = [], samples = [] } = seen.get(refusal) ?? {};
  seen.set(refusal, { responses: [...responses, response], samples: [...samples, toSample(response)] });
}

function listAttempts({ plan }: ProbeContext): Attempt[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  // The `+` keeps a sandbox with open accounts from opening one.
  const authorization = `Bearer service_test_unknown+${crypto.randomUUID()}`;
  const text = { raw: JSON.stringify(order), headers: { 'content-type': 'text/plain' } };
  return [
    { refusal: 'authentication', path: '/balance', request: { headers: { authorization } } },
    { refusal: 'unknown_path', path: '/no-such-path' },
    { refusal: 'unknown_method', path: '/quotes' },
    { refusal: 'unknown_payment', path: `/payments/pay_test_${'0'.repeat(24)}` },
    { refusal: 'unknown_page', path: '/transactions?page=9999' },
    ...(plan.foreignPayment === undefined
      ? []
      : [
          {
            refusal: 'foreign_payment',
            path: `/payments/${encodeURIComponent(plan.foreignPayment)}`,
          } as const,
        ]),
    { refusal: 'malformed_body', path: '/quotes', request: { raw: '{"amount": 1,}' } },
    { refusal: 'not_an_object', path: '/quotes', request: { raw: '[1]' } },
    { refusal: 'media_type', path: '/quotes', request: text },
  ];
}

/** Attempts payments that are refused: above the balance, and with the key of another payment. */
async function refusePayments(
  context: ProbeContext,
  add: (refusal: Refusal, response: RawResponse) => void,
): Promise<void> {
  const balance = await readBalance(context);
  const tooMuch = Number(balance / 1_000_000n) + 1_000;
  add('insufficient_funds', await createTestPayment(context, { amount: tooMuch }));
  const request = { headers: { 'idempotency-key': crypto.randomUUID() } };
  requireData(await createTestPayment(context, {}, request), 'POST /payments with an Idempotency-Key');
  add('key_reused', await createTestPayment(context, {}, request));
  const other = await createTestPayment(context, { amount: Number(context.plan.amount) + 1 }, request);
  add('key_of_other_body', other);
}
