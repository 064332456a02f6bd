// Keys, paths and request bodies.
import type { Call } from '../call.ts';
import type { RawRequest } from '../client.ts';
import { isRefusal } from '../response.ts';
import { choice, type Proof, type Question, repeated, type Step } from '../question.ts';
import { findLackingAmount, orderOf, type Run } from '../run.ts';
import type { Seen } from '../seen.ts';
import { isLackingFunds, isSameRefusal } from '../refused.ts';

/** Returns headers with an API key that no account has. The `+` keeps a sandbox with open accounts from opening one. */
const unknownKey = (): { readonly authorization: string } => ({
  authorization: `Bearer service_test_unknown+${crypto.randomUUID()}`,
});

const toKey = ({ authorization }: { readonly authorization: string }): string =>
  authorization.replace('Bearer ', '');

/** Two keys, of which the account has the one as Bearer, or as `X-API-Key`. */
const keyAsBearer = ({ ownKey }: Run): RawRequest => ({
  headers: { authorization: `Bearer ${ownKey}`, 'x-api-key': toKey(unknownKey()) },
});
const keyAsName = ({ ownKey }: Run): RawRequest => ({ headers: { ...unknownKey(), 'x-api-key': ownKey } });

/** Sends requests with a label each. */
async function sendEach(
  { send }: Run,
  requests: readonly (readonly [label: string, path: string, request?: RawRequest])[],
): Promise<void> {
  for (const [label, path, request = {}] of requests) await send(path, { ...request, label });
}

export const access: Step = {
  subject: 'keys and paths',
  send: async (run) => {
    const { plan } = run;
    const body = orderOf(run);
    const foreign =
      plan.foreignPayment === undefined ? [] : [`/payments/${encodeURIComponent(plan.foreignPayment)}`];
    await sendEach(run, [
      ['refusals.authentication', '/balance', { headers: unknownKey() }],
      ['refusals.authentication', '/quotes', { headers: unknownKey(), body }],
      ['refusals.missing_key', '/balance', { headers: { authorization: null } }],
      ['refusals.missing_key', '/transactions', { headers: { authorization: null } }],
      ['bothKeys', '/balance', keyAsBearer(run)],
      ['bothKeys', '/balance', keyAsName(run)],
      ['bothKeys', '/quotes', { ...keyAsBearer(run), body }],
      ['bothKeys', '/quotes', { ...keyAsName(run), body }],
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
      ...['0', '1'].map(
        (digit) => ['refusals.unknown_payment', `/payments/pay_test_${digit.repeat(24)}`] as const,
      ),
      ...['x', 'no-payment'].map((id) => ['refusals.malformed_id', `/payments/${id}`] as const),
      ...[...foreign, ...foreign].map((path) => ['refusals.foreign_payment', path] as const),
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
      ['requestBody.malformed', '/quotes', { raw: '{' }],
      ['requestBody.malformed', '/quotes', { raw: '{"amount": 1,}' }],
      ['requestBody.empty', '/quotes', { raw: '{}' }],
      ['requestBody.checked', '/quotes', { raw: '{', headers: unknownKey() }],
      ['requestBody.checked', '/quotes', { raw: '{"amount": 1,}', headers: unknownKey() }],
      ['requestBody.mediaTypes', '/quotes', as('text/plain', body)],
      ['requestBody.mediaTypes', '/quotes', as('application/octet-stream', more)],
      ['requestBody.mediaTypes', '/quotes', as(null, body)],
      ['requestBody.mediaTypes', '/quotes', as('application/problem+json', body)],
      ['requestBody.unknownFields', '/quotes', { body: { ...body, no_such_field: 1 } }],
      ['requestBody.unknownFields', '/quotes', { body: { ...more, neither_this: 'x' } }],
      ['refusals.not_an_object', '/quotes', { raw: '[1]' }],
      ['refusals.not_an_object', '/quotes', { raw: '[{"amount": 2}]' }],
    ]);
    const amount = run.plan.payments ? await findLackingAmount(run) : undefined;
    if (amount === undefined) return;
    const payment = { ...body, amount, beneficiary_name: run.plan.name };
    await sendEach(run, [
      ['bothKeys', '/payments', { ...keyAsBearer(run), body: payment }],
      ['bothKeys', '/payments', { ...keyAsName(run), body: payment }],
      ['refusals.insufficient_funds', '/payments', { body: payment }],
      ['refusals.insufficient_funds', '/payments', { body: { ...payment, amount: amount + 777 } }],
      ['requestBody.mediaTypes', '/payments', as('text/plain', payment)],
      ['requestBody.unknownFields', '/payments', { body: { ...payment, no_such_field: 1 } }],
    ]);
  },
};

/** A pair of requests with two keys, one for each side on which the valid one is. */
interface KeyPair {
  readonly path: string;
  readonly bearer: Call;
  readonly named: Call;
}

/** The values by the answers to both requests. */
const keyChoices = new Map([
  ['yes no', 'bearer'],
  ['no yes', 'apiKey'],
  ['no no', 'reject'],
  ['yes yes', 'either'],
]);

const eachKey = repeated<KeyPair & { readonly isForm: (call: Call) => boolean }>({
  setting: 'bothKeys',
  ask: access,
  request: 'a valid key as Bearer with an unknown X-API-Key, and the reverse',
  list: (seen) => {
    const calls = seen.of('bothKeys');
    return [...new Set(calls.map(({ path }) => path))].flatMap((path) => {
      const own = calls.filter((call) => call.path === path);
      const bearer = own.find(({ headers }) => !headers.authorization?.includes('unknown+'));
      const named = own.find(({ headers }) => headers.authorization?.includes('unknown+'));
      return bearer && named ? [{ path, bearer, named, isForm: (call) => isTaken(call, seen) }] : [];
    });
  },
  show: ({ path, bearer, named, isForm }) => {
    const text = `${path}: ${bearer.response.status} with the valid key as Bearer, ${named.response.status} as X-API-Key`;
    if ([bearer, named].some(({ response }) => response.status >= 500)) return undefined;
    const [one, other] = [bearer, named].map((call) =>
      isForm(call) ? 'yes' : isRefusal(call.response) ? 'no' : '?',
    );
    const value = keyChoices.get(`${one} ${other}`);
    return value === undefined ? { text } : { text, value };
  },
});

/** Payments can check keys in another way than reads and quotes. */
const bothKeys: Question = {
  ...eachKey,
  proves: (seen, value) => ofPayments('bothKeys', eachKey, seen, value),
};

/** Proves a value only if payments were asked too. */
function ofPayments(label: string, { proves }: Question, seen: Seen, value: unknown): Proof {
  const { agree, against } = proves(seen, value);
  const isAsked = seen.of(label).some(({ path }) => path === '/payments');
  return {
    agree,
    against: isAsked || agree.length === 0 ? against : [...against, 'payments were not asked'],
  };
}

/** Returns whether the form of a request was accepted: a payment above the balance is refused for lack of funds. */
const isTaken = (call: Call, seen: Seen): boolean => call.response.accepted || isLackingFunds(call, seen);

/** Whether a malformed body is read as an empty one: then no check comes before that of the key. */
const isReadAsEmpty = (seen: Seen): boolean => {
  const [empty] = seen.of('requestBody.empty');
  const [malformed] = seen.of('requestBody.malformed');
  return (
    empty !== undefined && malformed !== undefined && isSameRefusal(malformed.response, [empty.response])
  );
};

const checked = choice(
  'requestBody.checked',
  bodies,
  'a malformed body with an unknown key',
  (response, _, seen) => {
    if (response.status === 401) return 'afterKey';
    const usual = seen.of('requestBody.malformed').find(({ path }) => path === '/quotes');
    return isRefusal(response) && response.status === usual?.response.status ? 'beforeKey' : 'other';
  },
);

export const accessQuestions: readonly Question[] = [
  bothKeys,
  choice('paths.similar', access, 'GET /balance/', {
    redirect: 'redirect',
    accepted: 'lenient',
    404: 'strict',
  }),
  choice('paths.unknown', access, 'an unknown path with an unknown key', {
    401: 'authenticated',
    404: 'public',
  }),
  choice('requestBody.mediaTypes', bodies, 'JSON as text/plain', (response, call, seen) =>
    isTaken(call, seen) ? 'any' : isRefusal(response) ? 'json' : 'other',
  ),
  choice('requestBody.malformed', bodies, 'a body that is not JSON', (response, { path }, seen) => {
    const [empty] = seen.of('requestBody.empty');
    if (!isRefusal(response)) return 'other';
    // The refusal of an empty object, whose fields are missing.
    const isEmpty = empty !== undefined && isSameRefusal(response, [empty.response]);
    // A payment without fields lacks others than a quote.
    return path === '/quotes' ? (isEmpty ? 'empty' : 'reject') : undefined;
  }),
  { ...checked, read: (seen) => (isReadAsEmpty(seen) ? 'pointless' : checked.read(seen)) },
  choice('requestBody.unknownFields', bodies, 'an unknown field', (response, call, seen) =>
    isTaken(call, seen) ? 'ignore' : isRefusal(response) ? 'reject' : 'other',
  ),
];
