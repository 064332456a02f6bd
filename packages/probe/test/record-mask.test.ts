import { describe, expect, it } from 'vitest';
import type { Exchange } from '../src/exchange.ts';
import { createMask } from '../src/record/mask.ts';
import { beneficiary } from './application.ts';

const KEY = 'service_test_0123456789abcdefghij';
const exchange: Exchange = {
  at: '2026-01-31T12:00:00.000Z',
  ms: 12,
  request: {
    method: 'POST',
    path: '/payments?reference=INV-2024-000187&per_page=20',
    headers: {
      authorization: `Bearer ${KEY}`,
      'x-api-key': KEY,
      cookie: 'session=a1b2c3d4',
      'idempotency-key': 'Rechnung INV-2024-000187',
      'content-type': 'application/json',
    },
    body: { from_currency: 'USD', to_currency: 'EUR', amount: 101.5, ...beneficiary },
  },
  response: {
    status: 201,
    headers: { 'content-type': 'application/json', 'x-echo': KEY, 'set-cookie': 'session=a1b2c3d4' },
    body: {
      success: true,
      mode: 'test',
      data: {
        id: 'pay_test_000004ySkqXZY5Rf8naZ8rG8',
        status: 'pending',
        created_at: '2024-01-31T12:00:00+00:00',
        beneficiary: {
          name: beneficiary.beneficiary_name,
          account: beneficiary.beneficiary_account,
          country: 'DE',
        },
        purpose: beneficiary.purpose,
        statement: `PAYMENT TO ${beneficiary.beneficiary_name.toUpperCase()}`,
        tags: [`for ${beneficiary.purpose}!`, 'supplier'],
      },
    },
  },
};

const mask = (): Exchange => createMask('a secret')(exchange);
const secrets = [
  'Ottilie',
  'Krähenbühl',
  'KRÄHENBÜHL',
  'Söhne',
  'Sparkasse',
  'Hinterwald',
  'DE8937',
  'Rechnung',
  '000187',
];

describe('the mask of exchanges', () => {
  it('leaves no key, name, account, purpose or cookie in any place', () => {
    const text = JSON.stringify(mask());
    const found = [...secrets, KEY, '0123456789', 'a1b2c3d4', 'session'].filter((secret) =>
      text.includes(secret),
    );
    expect(found).toEqual([]);
  });

  it('keeps amounts, currencies, ids and times', () => {
    const { request, response } = mask();
    expect(request.body).toMatchObject({ from_currency: 'USD', amount: 101.5, beneficiary_country: 'DE' });
    expect(request.headers).toMatchObject({
      authorization: 'Bearer service_test_…',
      'x-api-key': 'service_test_…',
      'content-type': 'application/json',
    });
    expect(request.path).toMatch(/^\/payments\?reference=X\w{8}-X\w{8}-X\w{8}&per_page=20$/);
    expect(response?.body).toMatchObject({
      mode: 'test',
      data: {
        id: 'pay_test_000004ySkqXZY5Rf8naZ8rG8',
        created_at: '2024-01-31T12:00:00+00:00',
        status: 'pending',
      },
    });
  });

  it('keeps equal values equal, also in capitals and inside of texts', () => {
    const { request, response } = mask();
    const sent = request.body as typeof beneficiary;
    const { data } = response!.body as { data: Record<string, unknown> };
    expect(data.purpose).toBe(sent.purpose);
    expect(data.beneficiary).toMatchObject({
      name: sent.beneficiary_name,
      account: sent.beneficiary_account,
    });
    expect(data.statement).toBe(`PAYMENT TO ${sent.beneficiary_name.toUpperCase()}`);
    expect(data.tags).toEqual([expect.stringMatching(/^for X\w{8} X\w{8}-2024-X\w{8}!$/), 'supplier']);
    expect(request.headers['idempotency-key']).toBe(sent.purpose);
  });

  it('keeps the sentences of a refusal, and masks the values of the request in them', () => {
    const masked = createMask('a secret')({
      ...exchange,
      response: {
        status: 422,
        headers: {},
        body: { errors: { beneficiary_name: [`The name ${beneficiary.beneficiary_name} is too long.`] } },
      },
    });
    const { beneficiary_name } = masked.request.body as typeof beneficiary;
    expect(masked.response?.body).toEqual({
      errors: { beneficiary_name: [`The name ${beneficiary_name} is too long.`] },
    });
  });
});

describe('the path of an exchange', () => {
  /** Masks requests without bodies, one after another, and returns their paths. */
  function maskPaths(...paths: string[]): string[] {
    const maskExchange = createMask('a secret');
    return paths.map((path) => {
      const request = { ...exchange.request, path };
      delete (request as { body?: unknown }).body;
      const body = { message: `There is no ${decodeURI(path.split('?')[0] ?? '')}.` };
      const masked = maskExchange({ ...exchange, request, response: { status: 404, headers: {}, body } });
      expect(masked.request.path).not.toContain('4711');
      // A short number in a text can be a part of a time or an amount.
      for (const word of ['ottilie', 'a1b2c3'])
        expect(JSON.stringify(masked).toLowerCase()).not.toContain(word);
      return masked.request.path;
    });
  }

  it.each([
    ['/customers/ottilie', /^\/X[\dA-F]{8}\/X[\dA-F]{8}$/],
    ['/payments/ottilie@example.com', /^\/payments\/X[\dA-F]{8}%40X[\dA-F]{8}\.X[\dA-F]{8}$/],
    ['/payments/%4Fttilie%20K', /^\/payments\/X[\dA-F]{8}%20X[\dA-F]{8}$/],
    ['/payments/INV-4711', /^\/payments\/X[\dA-F]{8}-X[\dA-F]{8}$/],
    ['/payments/4711', /^\/payments\/X[\dA-F]{8}$/],
    [
      '/payments/4711/ottilie/receipt.pdf',
      /^\/payments\/X[\dA-F]{8}\/X[\dA-F]{8}\/X[\dA-F]{8}\.X[\dA-F]{8}$/,
    ],
    ['/payments;user=ottilie', /^\/payments(?:;|%3B)X[\dA-F]{8}(?:=|%3D)X[\dA-F]{8}$/],
    ['/reset/a1b2c3d4-e5f6', /^\/X[\dA-F]{8}\/X[\dA-F]{8}-X[\dA-F]{8}$/],
    ['/ottilie/payments', /^\/X[\dA-F]{8}\/payments$/],
    ['/balance?ottilie', /^\/balance\?X[\dA-F]{8}$/],
    ['/api/webhooks/a1b2c3d4e5f6', /^\/api\/X[\dA-F]{8}\/X[\dA-F]{8}$/],
  ])('%s has no unknown word, also where a response repeats it', (path, expected) => {
    const [masked = ''] = maskPaths(path);
    expect(masked).toMatch(expected);
    expect(masked).not.toBe(path);
  });

  it.each([
    '/',
    '/balance',
    '/quotes',
    '/payments?per_page=20&page=2',
    '/api/v1/transactions?page=2',
    '/payments/pay_test_000004ySkqXZY5Rf8naZ8rG8',
  ])('%s stays', (path) => {
    expect(maskPaths(path)).toEqual([path]);
  });

  it('keeps an id that a body had, and masks equal segments equally', () => {
    const maskExchange = createMask('a secret');
    const id = '3f2c8a10-77b1-4d0e-9a51-1f2e3d4c5b6a';
    const response = { status: 201, headers: {}, body: { data: { id, wallet_id: 4711, owner_id: 'W-1' } } };
    maskExchange({ ...exchange, response });
    const pathOf = (path: string): string =>
      maskExchange({ ...exchange, request: { ...exchange.request, path } }).request.path;
    expect(pathOf(`/payments/${id}`)).toBe(`/payments/${id}`);
    expect(pathOf('/wallets/W-1').split('/')[2]).toBe('W-1');
    const other = pathOf('/payments/9d0e-unknown');
    expect(other).not.toContain('unknown');
    expect(pathOf('/payments/9d0e-unknown')).toBe(other);
  });
});
