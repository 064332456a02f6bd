import { createMock, type ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { openProfile, order, type Seen, type SentHeaders } from './support.ts';

// The responses of these profiles deviate from openapi.yaml, so they are not checked against it.

interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: SentHeaders;
}

function open(profile: ProfileChoice): (path: string, call?: Call) => Promise<Seen> {
  const { ask } = openProfile(profile);
  return (path, { body, method = body === undefined ? 'GET' : 'POST', headers } = {}) =>
    ask(method, path, body, headers);
}

const quote = { from_currency: 'USD', to_currency: 'EUR', amount: 10 };
const detail = (code: string): { readonly [name: string]: string } => ({ code, field: '{field}' });
const codes = {
  missing: [detail('required')],
  amount_missing: [detail('number_required')],
  other: [detail('invalid')],
};
const list = { validation: { body: { errors: ['{each issues}', '{issue}'] } } } as const;
const codesOf = ({ json }: Seen): string[] =>
  (json as { errors: { code: string; field: string }[] }).errors.map(({ code, field }) => `${field} ${code}`);

describe('the refusals of a profile', () => {
  it('distinguish a missing API key, which is like an invalid one by default', async () => {
    const distinct = open({
      refusals: { missing_key: { type: 'key_missing' }, authentication: { status: 403 } },
    });
    expect(await distinct('/balance', { headers: { authorization: undefined } })).toMatchObject({
      status: 401,
      json: { error: { type: 'key_missing' } },
    });
    const same = open({ refusals: { authentication: { status: 403 } } });
    expect((await same('/balance', { headers: { authorization: undefined } })).status).toBe(403);
  });

  it('distinguish an id that is none, which is like the one of an unknown payment by default', async () => {
    const body = { id: '{payment_id}', error: '{type}' };
    const distinct = open({ refusals: { malformed_id: { status: 400 }, unknown_payment: { body } } });
    expect((await distinct('/payments/x')).status).toBe(400);
    expect((await distinct('/payments/pay_test_x')).json).toEqual({ id: 'pay_test_x', error: 'not_found' });
    const same = open({ refusals: { unknown_payment: { body } } });
    expect((await same('/payments/x')).json).toEqual({ id: 'x', error: 'not_found' });
  });

  it('keep the status of an injected fault and of a redirect', async () => {
    const profile = {
      errorShape: { status: 400 },
      refusals: { unknown_path: { status: 403 } },
      paths: { similar: 'redirect' },
    } as const;
    const mock = createMock({ profile });
    const headers = { authorization: `Bearer ${mock.account.testKey}` };
    const statusOf = async (path: string): Promise<number> =>
      (await mock.fetch(mock.baseUrl + path, { headers })).status;
    mock.sandbox.faults.inject({ kind: 'status', status: 503 });
    const seen = [];
    for (const path of ['/balance', '/balance/', '/other', '/payments/pay_test_x'])
      seen.push(await statusOf(path));
    expect(seen).toEqual([503, 308, 403, 400]);
  });

  it('have the methods of the path', async () => {
    const headers = { allow: '{allow GET="GET, HEAD"}' };
    const send = open({ refusals: { unknown_method: { headers } } });
    expect((await send('/quotes')).headers.get('allow')).toBe('POST');
    expect((await send('/balance', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
  });

  it('have the amounts of a payment above the balance', async () => {
    const body = { needed: '{debit}', available: '{available fixed}', missing: '{shortfall cents}' };
    const send = open({
      fees: [{ percent: '0.5', mode: 'onTop' }],
      refusals: { insufficient_funds: { body } },
    });
    expect((await send('/payments', { body: order({ amount: 100_000 }) })).json).toEqual({
      needed: 100_500,
      available: '100000.00',
      missing: 50_000,
    });
  });

  it('can be those of a kind of invalid field, which is checked after the others', async () => {
    const send = open({
      issues: codes,
      refusals: { ...list, currency_unknown: { status: 400, type: 'unsupported_currency' } },
      problems: { last: ['currency_unknown'] },
    });
    const unsupported = { ...quote, to_currency: 'XXX' };
    expect(await send('/quotes', { body: unsupported })).toMatchObject({
      status: 400,
      json: { error: { type: 'unsupported_currency' } },
    });
    const both = await send('/quotes', { body: { ...unsupported, amount: 0 } });
    expect([both.status, codesOf(both)]).toEqual([422, ['amount invalid']]);
  });

  it('have the name and the value of the first invalid field, and the request', async () => {
    const body = {
      param: '{field camel}',
      got: '{value}',
      sent: '{request}',
      text: '{field spaced capital}',
    };
    const send = open({ refusals: { validation: { body } } });
    const invalid = { ...quote, from_currency: ['USD'], amount: 0 };
    expect((await send('/quotes', { body: invalid })).json).toEqual({
      param: 'fromCurrency',
      got: ['USD'],
      sent: invalid,
      text: 'From currency',
    });
    expect((await send('/transactions?per_page=0')).json).toMatchObject({
      param: 'perPage',
      got: '0',
      sent: { per_page: '0' },
    });
  });
});

describe('the setting requestBody with its check', () => {
  it('is after the key, or before it', async () => {
    const noKey = { authorization: undefined };
    for (const [checked, malformed, valid] of [
      ['afterKey', 401, 401],
      ['beforeKey', 400, 401],
    ] as const) {
      const { ask } = openProfile({ requestBody: { checked } });
      const statusOf = async (body: string, headers: SentHeaders = noKey): Promise<number> =>
        (await ask('POST', '/quotes', body, headers)).status;
      const text = { ...noKey, 'content-type': 'text/plain' };
      expect([checked, await statusOf('{'), await statusOf('{}'), await statusOf('{', text)]).toEqual([
        checked,
        malformed,
        valid,
        401,
      ]);
      expect(await statusOf('{', {})).toBe(400);
    }
  });
});

describe('the setting problems', () => {
  it('lists all problems in the order of the fields by default', async () => {
    const send = open({ issues: codes, refusals: list });
    expect(codesOf(await send('/quotes', { body: { to_currency: 5 } }))).toEqual([
      'from_currency required',
      'to_currency invalid',
      'amount number_required',
    ]);
  });

  it('lists only the first problem, in the order of a service', async () => {
    const send = open({
      issues: codes,
      refusals: list,
      problems: { listed: 'first', fields: ['amount', 'to_currency'] },
    });
    expect(codesOf(await send('/quotes', { body: {} }))).toEqual(['amount number_required']);
    expect(codesOf(await send('/quotes', { body: { amount: 1 } }))).toEqual(['to_currency required']);
    expect(codesOf(await send('/quotes', { body: { amount: 1, to_currency: 'EUR' } }))).toEqual([
      'from_currency required',
    ]);
  });

  it('checks some kinds of problems before the others', async () => {
    const send = open({
      issues: codes,
      refusals: { ...list, currency_type: { status: 400 } },
      problems: { first: ['currency_type'] },
    });
    const { status } = await send('/quotes', { body: { ...quote, to_currency: 5, amount: 0 } });
    expect(status).toBe(400);
  });
});
