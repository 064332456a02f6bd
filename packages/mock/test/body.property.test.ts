import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as schemas from '@service/contract/schemas';
import { currencies, parseDecimal } from '../src/domain/money.ts';
import { type Body, readBody as read } from '../src/http/body.ts';
import { HttpError } from '../src/http/errors.ts';
import type { MockRequest } from '../src/http/request.ts';
import { defaultProfile, type Profile } from '../src/domain/profile.ts';
import { readNumber, validatePayment, validateQuote } from '../src/http/validate.ts';
import { order } from './support.ts';
import { runs } from '../../../test/support/runs.ts';

function readBody(text: string): Promise<Body> {
  const call: MockRequest = {
    transport: 'fetch',
    method: 'POST',
    path: '/',
    search: '',
    header: (name) => (name === 'content-type' ? 'application/json' : null),
    headers: [],
    readBody: async () => new TextEncoder().encode(text),
    signal: () => new AbortController().signal,
  };
  return read(call, { profile: defaultProfile });
}

describe('an amount in a body', () => {
  /** Hundredths, or undefined for text that is not an amount. Both parsers must agree on it. */
  const toUnits = (text: string | undefined): bigint | undefined => {
    const units = text === undefined ? undefined : parseDecimal(text, 2);
    return units !== undefined && units >= 1n && units <= 99_999_999_999n ? units : undefined;
  };
  const digits = (max: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 1, maxLength: max });
  const whole = fc.oneof(
    fc.constant('0'),
    digits(20).map((text) => text.replace(/^0+(?=\d)/, '')),
  );
  const fraction = fc.oneof(
    fc.constant(''),
    digits(25).map((text) => `.${text}`),
    fc
      .tuple(fc.constantFrom('', '1', '99', '005'), fc.nat(25), digits(2))
      .map(([a, zeros, b]) => `.${a}${'0'.repeat(zeros)}${b}`),
  );
  const exponent = fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(4))
      .map((parts) => parts.join('')),
  );
  const number = fc
    .tuple(fc.constantFrom('', '', '-'), whole, fraction, exponent)
    .map((parts) => parts.join(''));
  const space = fc.constantFrom('', ' ', '\n\t\r ');
  const decoy = fc.constantFrom(
    '',
    '"x":{"amount":0.1234567890123456789},',
    '"amount":2.22,',
    '"amount":0.0100000000000000000001,',
    '"x":[1234567890123456789],',
    '"x":": 1234567890123456789",',
  );

  it('is read exactly, at any length and position', async () => {
    await fc.assert(
      fc.asyncProperty(number, space, decoy, async (sent, gap, other) => {
        const body = await readBody(`{${other}"amount":${gap}${sent}${gap},"purpose":"${'9'.repeat(20)}"}`);
        expect(toUnits(readNumber(body, 'amount'))).toBe(toUnits(sent));
      }),
      { numRuns: runs(1_000) },
    );
  });

  it.each([
    ['0.019999999999999999999', undefined],
    ['999999999.990000000001', undefined],
    ['999999999.990', 99_999_999_999n],
    ['999999999.990000000000', 99_999_999_999n],
    ['0.30000000000000004', undefined],
    ['0.3', 30n],
    ['100000000000000000000e-18', 10_000n],
    ['0.0000000000000000001e19', 100n],
    ['1e2', 10_000n],
    ['123456789.125', undefined],
  ])('reads %s as %s hundredths', async (sent, units) => {
    expect(toUnits(readNumber(await readBody(`{"amount":${sent}}`), 'amount'))).toBe(units);
    expect(toUnits(readNumber(await readBody(`{"amount":5.55,"amount":${sent}}`), 'amount'))).toBe(units);
    expect(toUnits(readNumber(await readBody(`{"amount":${sent},"amount":5.55}`), 'amount'))).toBe(555n);
  });

  it.each(['null', '[1]', '"1"', '{"amount":"1"}', '{"amount":{"amount":1}}', '{"amounts":1}', '{}'])(
    'is not found in %s',
    async (text) => {
      expect(readNumber(await readBody(text), 'amount')).toBeUndefined();
    },
  );
});

// The sandbox has its own request validation. It must accept the same requests as the schemas of the contract, within the
// limits of the sandbox that `openapi.yaml` marks with `x-decided`.
describe('request validation', () => {
  const point = fc.constantFrom(
    'a',
    'é',
    '😀',
    ' ',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '\u0000',
    '\u001f',
    '\u0085',
    '\ud800',
    '\udc00',
    '\n',
  );
  const text = fc.oneof(
    fc.string({ unit: point, maxLength: 4 }),
    fc
      .tuple(
        fc.constantFrom('a', '😀', ' '),
        fc.integer({ min: 252, max: 258 }),
        fc.string({ unit: point, maxLength: 2 }),
      )
      .map(([unit, count, end]) => `${end}${unit.repeat(count)}${end}`),
  );
  const currency = fc.oneof(fc.constantFrom('USD', 'EUR', 'usd', 'XXX', 'USDX', 'US', 'USD\n'), text);
  const other = fc.constantFrom<unknown>(null, undefined, 0, 1, true, [], {}, ['USD'], '1');
  const amount = fc.oneof(
    fc.constantFrom(1, 0.01, 0.001, 1.005, 0, -1, 999_999_999.99, 999_999_999.991, 1e9, 1e21),
    fc.double(),
  );
  const fields = fc.record(
    {
      from_currency: fc.oneof(currency, other),
      to_currency: fc.oneof(currency, other),
      amount: fc.oneof(amount, other),
      beneficiary_name: fc.oneof(text, other),
      beneficiary_bank: fc.oneof(text, other),
      beneficiary_account: fc.oneof(text, other),
      beneficiary_country: fc.oneof(text, other),
      purpose: fc.oneof(text, other),
      unknown: other,
    },
    { requiredKeys: [] },
  );

  const kinds = {
    quote: { validate: validateQuote, schema: schemas.QuoteRequest },
    payment: { validate: validatePayment, schema: schemas.PaymentRequest },
  };

  const textFields = [
    'beneficiary_name',
    'beneficiary_bank',
    'beneficiary_account',
    'beneficiary_country',
    'purpose',
  ];
  const isWithinLimits = (content: string): boolean => {
    const { length } = Array.from(content.trim());
    return length >= 1 && length <= 255 && !/\p{Cs}/u.test(content);
  };

  /** The fields that a validation error names. */
  function namesOf(validate: (body: Body, profile: Profile) => unknown, body: Body): string[] {
    try {
      validate(body, defaultProfile);
      return [];
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return [...error.message.matchAll(/(?:: |; )([a-z_]+) (?:must|is)/g)].map(([, name = '']) => name);
    }
  }

  it.each(['quote', 'payment'] as const)('rejects for a %s the same values as the JSON schema', (kind) => {
    const { validate, schema } = kinds[kind];
    fc.assert(
      fc.property(fields, fc.boolean(), (given, isWhole) => {
        const value = JSON.parse(JSON.stringify(isWhole ? { ...order(), ...given } : given)) as Record<
          string,
          unknown
        >;
        const rejected = new Set(namesOf(validate, { text: JSON.stringify(value), value }));
        const parsed = schema.safeParse(value);
        const bad = new Set(parsed.success ? [] : parsed.error.issues.map(({ path }) => String(path[0])));
        for (const field of ['from_currency', 'to_currency']) {
          if (!currencies.includes(String(value[field]))) bad.add(field);
        }
        for (const field of kind === 'payment' ? textFields : []) {
          const content = value[field];
          if (typeof content === 'string' && !isWithinLimits(content)) bad.add(field);
        }
        if (typeof value.amount === 'number') {
          const isExact = parseDecimal(String(value.amount), 2) !== undefined;
          if (!isExact || value.amount > 999_999_999.99) bad.add('amount');
        }
        expect(rejected).toEqual(bad);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
