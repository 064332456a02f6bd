// Keys, paths and request bodies.
import { type Call, describeCall } from '../call.ts';
import type { RawRequest } from '../client.ts';
import { choice, formChoice, provenByPayments, type Question, repeated, type Step } from '../question.ts';
import { findLackingAmount, orderOf, type Run } from '../run.ts';
import { isFormAccepted } from '../refused.ts';

/** Returns headers with an API key that no account has. The `+` keeps a sandbox with open accounts from opening one. */
const unknownKey = (): { readonly authorization: string } => ({
  authorization: `Bearer service_test_unknown+${crypto.randomUUID()}`,
});

/** A valid key as Bearer with an unknown one as `X-API-Key`, and the reverse. */
function pairKeys({ ownKey }: Run): readonly RawRequest[] {
  const { authorization } = unknownKey();
  return [
    { headers: { authorization: `Bearer ${ownKey}`, 'x-api-key': authorization.replace('Bearer ', '') } },
    { headers: { authorization, 'x-api-key': ownKey } },
  ];
}

type Labelled = readonly [label: string, path: string, request?: RawRequest];

/** Sends requests with a label each. */
async function sendEach({ send }: Run, requests: readonly Labelled[]): Promise<void> {
  for (const [label, path, request = {}] of requests) await send(path, { ...request, label });
}

export const access: Step = {
  subject: 'keys and paths',
  send: async (run) => {
    const body = orderOf(run);
    await sendEach(run, [
      ['refusals.authentication', '/balance', { headers: unknownKey() }],
      ['refusals.authentication', '/quotes', { headers: unknownKey(), body }],
      ['refusals.missing_key', '/balance', { headers: { authorization: null } }],
      ['refusals.missing_key', '/transactions', { headers: { authorization: null } }],
      ...pairKeys(run).map((keys) => ['bothKeys', '/balance', keys] as const),
      ...pairKeys(run).map((keys) => ['bothKeys', '/quotes', { ...keys, body }] as const),
      ['paths.similar', '/balance/'],
      ['paths.similar', '/transactions/'],
      ['paths.similar', '//balance'],
      ['paths.similar', '/Balance'],
      ['paths.unknown', '/no-such-path', { headers: unknownKey() }],
      ['paths.unknown', '/neither/this', { headers: unknownKey() }],
      ['refusals.unknown_path', '/no-such-path'],
      ['refusals.unknown_path', '/neither/this'],
      ['refusals.unknown_method', '/quotes'],
      ['refusals.unknown_method', '/balance', { method: 'PUT', body: {} }],
      ['refusals.unknown_payment', `/payments/pay_test_${'0'.repeat(24)}`],
      ['refusals.unknown_payment', `/payments/pay_test_${'1'.repeat(24)}`],
      ['refusals.malformed_id', '/payments/x'],
      ['refusals.malformed_id', '/payments/no-payment'],
      ...run.plan.foreign.map(
        (id) => ['refusals.foreign_payment', `/payments/${encodeURIComponent(id)}`] as const,
      ),
    ]);
  },
};

/** Returns a request with JSON under another media type, or without one. */
const as = (type: string | null, json: object): RawRequest => ({
  raw: JSON.stringify(json),
  headers: { 'content-type': type },
});

export const bodies: Step = {
  subject: 'request bodies',
  send: async (run) => {
    const body = orderOf(run);
    const more = { ...body, amount: body.amount * 2 };
    await sendEach(run, [
      ['refusals.malformed_body', '/quotes', { raw: '{' }],
      ['refusals.malformed_body', '/quotes', { raw: '{"amount": 1,}' }],
      ['requestBody.mediaTypes', '/quotes', as('text/plain', body)],
      ['requestBody.mediaTypes', '/quotes', as('application/x-www-form-urlencoded', more)],
      ['requestBody.mediaTypes', '/quotes', as(null, body)],
      ['requestBody.mediaTypes', '/quotes', as('application/problem+json', body)],
      ['requestBody.unknownFields', '/quotes', { body: { ...body, no_such_field: 1 } }],
      ['requestBody.unknownFields', '/quotes', { body: { ...more, neither_this: 'x' } }],
      ['refusals.not_an_object', '/quotes', { raw: '[1]' }],
      ['refusals.not_an_object', '/quotes', { raw: '[{"amount": 2}]' }],
    ]);
    const amount = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (amount === undefined) return;
    const payment = { ...body, amount, beneficiary_name: 'Probe' };
    await sendEach(run, [
      ...pairKeys(run).map((keys) => ['bothKeys', '/payments', { ...keys, body: payment }] as const),
      ['refusals.insufficient_funds', '/payments', { body: payment }],
      ['refusals.insufficient_funds', '/payments', { body: { ...payment, amount: amount + 777 } }],
      ['requestBody.mediaTypes', '/payments', as('text/plain', payment)],
      ['requestBody.unknownFields', '/payments', { body: { ...payment, no_such_field: 1 } }],
    ]);
  },
};

/** The requests of each path: with the valid key as Bearer, and as `X-API-Key`. */
const bothKeys = repeated<readonly Call[]>({
  setting: 'bothKeys',
  ask: access,
  request: 'a valid key as Bearer with an unknown X-API-Key, and the reverse',
  list: (seen) =>
    ['/balance', '/quotes', '/payments'].map((path) =>
      seen.of('bothKeys').filter((call) => call.path === path),
    ),
  show: (pair, seen) => {
    if (pair.length < 2) return undefined;
    const text = `valid as Bearer, then as X-API-Key: ${pair.map(describeCall).join(', ')}`;
    const [isBearer, isNamed] = pair.map((call) => isFormAccepted(call, seen));
    if (pair.some((call) => !isFormAccepted(call, seen) && call.response.status !== 401)) return { text };
    if (isBearer) return { text, value: isNamed ? 'either' : 'bearer' };
    return { text, value: isNamed ? 'apiKey' : 'reject' };
  },
});

export const accessQuestions: readonly Question[] = [
  // Payments can check keys in another way than reads and quotes.
  provenByPayments(bothKeys),
  choice('paths.similar', access, 'GET /balance/', ({ accepted, status }) => {
    if (status >= 300 && status < 400) return 'redirect';
    return accepted ? 'lenient' : status === 404 ? 'strict' : 'other';
  }),
  choice('paths.unknown', access, 'an unknown path with an unknown key', ({ status }) =>
    status === 401 ? 'authenticated' : status === 404 ? 'public' : 'other',
  ),
  formChoice('requestBody.mediaTypes', bodies, 'JSON as text/plain', 'any', 'json'),
  formChoice('requestBody.unknownFields', bodies, 'an unknown field', 'ignore', 'reject'),
];
