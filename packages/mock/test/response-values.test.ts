import { createMock, type ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';

const order = { from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'Alder Ltd' };

async function call(
  { fetch, baseUrl, account }: ReturnType<typeof createMock>,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly json: Readonly<Record<string, unknown>>; readonly headers: Headers }> {
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${account.testKey}`, 'content-type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { json: (await response.json()) as Record<string, unknown>, headers: response.headers };
}

const start = '2026-03-01T12:00:00.000Z';
const create = (profile: ProfileChoice) => createMock({ clock: 'manual', seed: 1, start, profile });

describe('the values of responses in templates', () => {
  it('are in every successful response, and differ between them', async () => {
    const mock = create({
      envelope: { meta: { id: '{request_id uuid}', at: '{now digits=3 zone=Z}', unix: '{now unix}' } },
    });
    const bodies = [];
    for (const [path, body] of [
      ['/quotes', { ...order, beneficiary_name: undefined }],
      ['/payments', order],
      ['/balance', undefined],
      ['/transactions', undefined],
    ] as const)
      bodies.push((await call(mock, path, body)).json);
    const metas = bodies.map(({ meta }) => meta as { readonly id: string });
    for (const meta of metas)
      expect(meta).toEqual({
        id: expect.stringMatching(
          /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        ) as string,
        at: start,
        unix: Date.parse(start) / 1_000,
      });
    expect(new Set(metas.map(({ id }) => id)).size).toBe(4);
  });

  it('are a later time in quotes, and the request in errors', async () => {
    const mock = create({
      quoteShape: { id: 'quo_{request_id lower=20}', expires_at: '{now plus=30s}' },
      errorShape: { body: { where: '{method} {path}', type: '{type}' } },
    });
    const quote = await call(mock, '/quotes', { ...order, beneficiary_name: undefined });
    expect(quote.json['data']).toEqual({
      id: expect.stringMatching(/^quo_[\da-z]{20}$/) as string,
      expires_at: '2026-03-01T12:00:30+00:00',
    });
    expect((await call(mock, '/nothing')).json).toEqual({ where: 'GET /api/v1/nothing', type: 'not_found' });
  });

  it('are new in a replayed response', async () => {
    const mock = create({ envelope: { trace: '{request_id uuid}' } });
    const key = { 'idempotency-key': 'one' };
    const [first, second] = [
      await call(mock, '/payments', order, key),
      await call(mock, '/payments', order, key),
    ];
    expect(second.json['data']).toEqual(first.json['data']);
    expect(second.json['trace']).not.toBe(first.json['trace']);
  });

  it('name the payment in the headers of a replay, whatever the name of its id in the body', async () => {
    const mock = create({
      paymentShape: { reference: '{id}' },
      headers: { createPayment: { Location: '/payments/{id}' } },
    });
    const key = { 'idempotency-key': 'one' };
    const first = await call(mock, '/payments', order, key);
    const second = await call(mock, '/payments', order, key);
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.headers.get('location')).toMatch(/^\/payments\/pay_test_/);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });
});
