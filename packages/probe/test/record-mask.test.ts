import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import type { Exchange } from '../src/exchange.ts';
import { createMask } from '../src/record/mask.ts';
import { createWordMask } from '../src/record/words.ts';
import { beneficiary } from './application.ts';

const KEY = 'service_test_0123456789abcdefghij';
const exchange: Exchange = {
  kind: 'api',
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

const mask = (keepsNames = false): Exchange => createMask({ secret: 'a secret', keepsNames })(exchange);
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
      authorization: 'Bearer service_test_…1',
      'x-api-key': 'service_test_…1',
      'content-type': 'application/json',
    });
    expect(request.path).toMatch(/^\/payments\?reference=[A-Z]{3}-\d{4}-\d{6}&per_page=20$/);
    expect(response?.body).toMatchObject({
      mode: 'test',
      data: {
        id: 'pay_test_000004ySkqXZY5Rf8naZ8rG8',
        created_at: '2024-01-31T12:00:00+00:00',
        status: 'pending',
      },
    });
  });

  it('keeps the form of values, and equal values equal', () => {
    const { request, response } = mask();
    const sent = request.body as typeof beneficiary;
    const { data } = response!.body as { data: Record<string, unknown> };
    expect(data.purpose).toBe(sent.purpose);
    expect(sent.purpose).toMatch(/^[A-Z][a-z]{7} [A-Z]{3}-\d{4}-\d{6}$/);
    expect(sent.beneficiary_account).toMatch(/^[A-Z]{2}\d{20}$/);
    expect(data.beneficiary).toMatchObject({
      name: sent.beneficiary_name,
      account: sent.beneficiary_account,
    });
    expect(data.statement).toBe(`PAYMENT TO ${sent.beneficiary_name.toUpperCase()}`);
    expect(data.tags).toEqual([`for ${sent.purpose}!`, 'supplier']);
    expect(request.headers['idempotency-key']).toBe(sent.purpose);
  });

  it('keeps names readable with keepNames, but nothing else', () => {
    const text = JSON.stringify(mask(true));
    expect(text).toContain(beneficiary.beneficiary_name);
    expect(text).toContain(beneficiary.beneficiary_bank);
    const hidden = [KEY, beneficiary.beneficiary_account, beneficiary.purpose];
    expect(hidden.filter((secret) => text.includes(secret))).toEqual([]);
  });

  it('keeps the sentences of a refusal, and masks the values of the request in them', () => {
    const masked = createMask({ secret: 'a secret', keepsNames: false })({
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

describe('the mask of words', () => {
  it('maps equal words and equal starts to equal ones, different words to different ones, in the same form', () => {
    const maskWords = createWordMask('a secret');
    const word = fc.stringMatching(/^[a-zA-Zäöüß0-9]{1,12}$/);
    fc.assert(
      fc.property(word, word, (one, two) => {
        const [first, second] = [maskWords(one), maskWords(two)];
        expect(first === second).toBe(one === two);
        expect(first).toHaveLength(one.length);
        expect(first.replaceAll(/\d/g, '0').replace(/\D/g, '-')).toBe(
          one.replaceAll(/\d/g, '0').replace(/\D/g, '-'),
        );
      }),
      { numRuns: runs(200) },
    );
  });
});
