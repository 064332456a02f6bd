import { createMock } from '@service/mock';
import { describe, expect, it } from 'vitest';
import { openProfile, type SentHeaders } from './support.ts';

// The responses of these profiles deviate from openapi.yaml, so they are not checked against it.

describe('the refusals of a profile', () => {
  it('distinguish a missing API key, which is like an invalid one by default', async () => {
    const { ask: distinct } = openProfile({
      refusals: { missing_key: { status: 401, type: 'key_missing' }, authentication: { status: 403 } },
    });
    expect(await distinct('GET', '/balance', undefined, { authorization: undefined })).toMatchObject({
      status: 401,
      json: { error: { type: 'key_missing' } },
    });
    const { ask: same } = openProfile({ refusals: { authentication: { status: 403 } } });
    expect((await same('GET', '/balance', undefined, { authorization: undefined })).status).toBe(403);
  });

  it('distinguish an id that is none, which is like the one of an unknown payment by default', async () => {
    const body = { error: '{type}', at: '{path}' };
    const { ask: distinct } = openProfile({
      refusals: { malformed_id: { status: 400 }, unknown_payment: { body } },
    });
    expect((await distinct('GET', '/payments/x')).status).toBe(400);
    const json = { error: 'not_found', at: '/api/v1/payments/pay_test_x' };
    expect((await distinct('GET', '/payments/pay_test_x')).json).toEqual(json);
    const { ask: same } = openProfile({
      refusals: { unknown_payment: { body }, malformed_id: { status: 400 } },
    });
    expect((await same('GET', '/payments/x')).json).toMatchObject({ error: 'not_found' });
  });

  it('keep the status of an injected fault and of a redirect', async () => {
    const profile = {
      refusals: { all: { status: 400 }, unknown_path: { status: 403 } },
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

  it('have the fields of all refusals unless they have their own', async () => {
    const { ask: send } = openProfile({
      refusals: {
        all: { type: 'problem', body: { code: '{status}', kind: '{type}', text: '{message}' } },
        unknown_payment: { message: 'Nothing here.' },
        authentication: { body: { denied: true } },
      },
    });
    expect((await send('GET', '/payments/pay_test_x')).json).toEqual({
      code: 404,
      kind: 'problem',
      text: 'Nothing here.',
    });
    expect((await send('GET', '/balance', undefined, { authorization: 'Bearer x' })).json).toEqual({
      denied: true,
    });
    expect((await send('GET', '/nowhere')).json).toMatchObject({ code: 404, kind: 'problem' });
  });

  it('can be an HTML page, whose values are escaped, or other text', async () => {
    const { ask: send } = openProfile({
      refusals: {
        authentication: { body: '<h1>{status}</h1><p>{message}</p>' },
        unknown_path: { body: 'No such path: {path}' },
      },
    });
    const page = await send('GET', '/balance', undefined, { authorization: undefined });
    expect([page.headers.get('content-type'), page.text]).toEqual([
      'text/html',
      expect.stringMatching(/^<h1>401<\/h1><p>.*&lt;API key>/),
    ]);
    const { headers, text } = await send('GET', '/no<where');
    expect([headers.get('content-type'), text]).toEqual(['text/plain', 'No such path: /api/v1/no%3Cwhere']);
  });

  it('lose the headers that all responses lose', async () => {
    const { ask: send } = openProfile({
      headers: { all: { 'www-authenticate': null, 'X-RateLimit-Reset': null, 'X-Version': '3' } },
      rateLimit: { requests: 0, window: '1h' },
    });
    const refused = await send('GET', '/balance', undefined, { authorization: 'Bearer x' });
    expect([refused.headers.get('www-authenticate'), refused.headers.get('x-version')]).toEqual([null, '3']);
    const { status, headers } = await send('GET', '/balance');
    expect([status, headers.get('x-ratelimit-reset'), headers.get('x-ratelimit-limit')]).toEqual([
      429,
      null,
      '0',
    ]);
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
