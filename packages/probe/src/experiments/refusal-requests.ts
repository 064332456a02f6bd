import { type Micro, type Refusal } from '@service/internal';
import { exceed, findLackingAmount, readBalance } from '../balances.ts';
import {
  createTestPayment,
  createUnavailable,
  type Experiment,
  type ProbeContext,
  requestQuote,
  requireData,
} from '../context.ts';
import { explainInconclusive, type Finding } from '../finding.ts';
import { isError, type RawRequest, type RawResponse, type SendRequest } from '../raw-client.ts';
import type { KnownValues } from '../templates/known.ts';
import { type Refused, toSample } from '../templates/refusal.ts';
import type { PlacedFields } from '../templates/places.ts';
import { readQuote, textOf } from '../templates/values.ts';
import { createUnknownKey } from './access.ts';
import { type LackingPayments, type RefusedField, refuseFields } from './issues.ts';
import { refuseSeveral } from './problem-order.ts';
import { readErrorShape } from './requests.ts';

/** A refused request. */
interface Attempt {
  readonly refusal: Refusal;
  readonly path: string;
  readonly request?: RawRequest;
  /** The values of the request that the response can show. */
  readonly known?: KnownValues;
}

/** The responses of each refusal. */
export type Seen = Map<Refusal, Refused>;

/** The refused requests of a run. */
export interface RefusedRequests {
  /** The named shape of error bodies. */
  readonly named: Finding;
  readonly seen: Seen;
  readonly fields: readonly RefusedField[];
  /** The response to a request with several invalid fields. */
  readonly several: PlacedFields | undefined;
}

/** The experiment that sends the requests that a service refuses. Another one evaluates them with those of the rate limit. */
export const refusalRequests: readonly Experiment[] = [
  { settings: [], subject: 'refused requests', run: sendRefused },
];

async function sendRefused(probe: ProbeContext): Promise<Finding[]> {
  // A service can respond with a 5xx to a request that others refuse.
  const send: SendRequest = (path, request) => probe.send(path, { ...request, isOutage: true });
  const context = { ...probe, send };
  try {
    const named = await readErrorShape(context);
    const seen = await collectRefusals(context);
    const fields = await refuseFields(context, await findLacking(context, seen));
    const several = await refuseSeveral(context);
    context.refused.push({ named, seen, fields, several });
    return [];
  } catch (error) {
    context.refused.push({ reason: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

async function findLacking(context: ProbeContext, seen: Seen): Promise<LackingPayments | undefined> {
  const { responses: refusals } = seen.get('insufficient_funds') ?? {};
  return refusals && { amount: await findLackingAmount(context), refusals };
}

/** Sends the requests that a service refuses, except those with an invalid field. */
async function collectRefusals(context: ProbeContext): Promise<Seen> {
  const seen: Seen = new Map();
  for (const { refusal, path, request, known } of listAttempts(context))
    note(seen, refusal, { response: await context.send(path, request), known });
  if (context.plan.payments) await refusePayments(context, seen);
  return seen;
}

interface Noted {
  readonly response: RawResponse;
  readonly known?: KnownValues | undefined;
}

/** Adds the response of a refusal, if it is one. Only responses with the same status describe a refusal. */
export function note(seen: Seen, refusal: Refusal, { response, known = {} }: Noted): void {
  if (!isError(response)) return;
  const { responses = [], samples = [] } = seen.get(refusal) ?? {};
  if (responses.some(({ status }) => status !== response.status)) return;
  const sample = toSample(response);
  seen.set(refusal, {
    responses: [...responses, response],
    samples: [...samples, { ...sample, known: { ...sample.known, ...known } }],
  });
}

const twice = (attempt: Attempt): Attempt[] => [attempt, attempt];

const ofPayment = (refusal: Refusal, id: string): Attempt => ({
  refusal,
  path: `/payments/${encodeURIComponent(id)}`,
  known: { payment_id: textOf(id) },
});

/** The requests, two for each refusal: the values that differ between two responses are not part of its text. */
function listAttempts({ plan }: ProbeContext): Attempt[] {
  const { from: from_currency, to: to_currency } = plan;
  const order = { from_currency, to_currency, amount: Number(plan.amount) };
  const text = { raw: JSON.stringify(order), headers: { 'content-type': 'text/plain' } };
  return [
    withUnknownKey(),
    withUnknownKey(),
    ...twice({ refusal: 'missing_key', path: '/balance', request: { headers: { authorization: null } } }),
    { refusal: 'unknown_path', path: '/no-such-path' },
    { refusal: 'unknown_path', path: '/neither-this-path' },
    { refusal: 'unknown_method', path: '/quotes', known: { allow: textOf('POST') } },
    // Without payments, the probe sends quotes only.
    ...(plan.payments ? [postBalance] : []),
    ofPayment('unknown_payment', `pay_test_${'0'.repeat(24)}`),
    ofPayment('unknown_payment', `pay_test_${'1'.repeat(24)}`),
    ofPayment('malformed_id', 'x'),
    ofPayment('malformed_id', 'no-payment'),
    { refusal: 'unknown_page', path: '/transactions?page=9998' },
    { refusal: 'unknown_page', path: '/transactions?page=9999' },
    ...(plan.foreignPayment === undefined ? [] : twice(ofPayment('foreign_payment', plan.foreignPayment))),
    ...twice({ refusal: 'malformed_body', path: '/quotes', request: { raw: '{"amount": 1,}' } }),
    ...twice({ refusal: 'not_an_object', path: '/quotes', request: { raw: '[1]' } }),
    ...twice({ refusal: 'media_type', path: '/quotes', request: text }),
  ];
}

const postBalance: Attempt = {
  refusal: 'unknown_method',
  path: '/balance',
  request: { body: {} },
  known: { allow: textOf('GET') },
};

function withUnknownKey(): Attempt {
  const authorization = `Bearer ${createUnknownKey()}`;
  return { refusal: 'authentication', path: '/balance', request: { headers: { authorization } } };
}

/** Attempts payments that are refused: above the balance, and with the key of another payment. */
async function refusePayments(context: ProbeContext, seen: Seen): Promise<void> {
  await refuseLacking(context, seen);
  for (const _ of [1, 2]) {
    const response = await createUnavailable(context);
    if (response !== undefined) note(seen, 'unavailable', { response });
  }
  const key = crypto.randomUUID();
  const request = { headers: { 'idempotency-key': key } };
  requireData(await createTestPayment(context, {}, request), 'POST /payments with an Idempotency-Key');
  for (const more of [1, 2]) {
    // A replay is no refusal.
    if (more === 1 || seen.has('key_reused'))
      note(seen, 'key_reused', { response: await createTestPayment(context, {}, request) });
    const changes = { amount: Number(context.plan.amount) + more };
    note(seen, 'key_of_other_body', { response: await createTestPayment(context, changes, request) });
  }
}

async function refuseLacking(context: ProbeContext, seen: Seen): Promise<void> {
  for (const more of [0, 777]) {
    const balance = await readBalance(context);
    let amount: number;
    try {
      amount = exceed(balance) + more;
    } catch (error) {
      explainInconclusive(error);
      return;
    }
    const quote = await requestQuote(context, { amount });
    const known = readFunds(quote, amount, balance);
    note(seen, 'insufficient_funds', { response: await createTestPayment(context, { amount }), known });
  }
}

/** Returns the values of a payment above the balance. */
function readFunds(quote: RawResponse, amount: number, balance: Micro): KnownValues {
  const known = readQuote({ send_amount: amount, ...quote.data });
  const { debit, send_amount: sent } = known;
  const required = [debit, sent].find((each) => each?.kind === 'amount');
  const amounts = {
    available: balance,
    ...(required?.kind === 'amount' && { shortfall: required.micro - balance }),
  };
  const values = Object.entries(amounts).map(([name, micro]) => [name, { kind: 'amount', micro }]);
  return { ...known, ...(Object.fromEntries(values) as KnownValues) };
}
