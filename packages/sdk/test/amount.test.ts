import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAmount } from '../src/values/amount.ts';
import { isValidationError } from '../src/index.ts';
import { clientAnswering, payment, paymentInput, success } from './service.ts';

function refusal(value: unknown): string {
  try {
    parseAmount(value);
  } catch (error) {
    if (isValidationError(error) && error.outcome === 'not_sent') return error.message;
    throw error;
  }
  throw new Error('the amount was expected to be refused');
}

test.each([
  ['100.00', '100.00'],
  ['0.01', '0.01'],
  ['0.1', '0.1'],
  ['9999999999999.99', '9999999999999.99'],
  [100, '100'],
  [0.01, '0.01'],
  [999999999.99, '999999999.99'],
  [1e2, '100'],
])('reads %o as %s', (value, text) => {
  expect(parseAmount(value)).toBe(text);
});

test.each([
  '',
  ' 5',
  '5 ',
  '5\n',
  '+5',
  '.5',
  '5.',
  '05',
  '1,000.00',
  '1e2',
  '0x10',
  '٥',
  'NaN',
  '1_000',
  'ten',
  '-',
  1e-7,
  1e21,
])('refuses %o, which is no plain decimal', (value) => {
  expect(refusal(value)).toContain("a plain decimal such as '100.00'");
});

test.each([0, -0, '0', '0.00', -5, -0.01, '-5.00'])('refuses %o, which is nothing or less', (value) => {
  expect(refusal(value)).toBe('amount must be more than 0.');
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number('1e400')])(
  'refuses %o, which is not finite',
  (value) => {
    expect(refusal(value)).toContain('finite');
  },
);

test.each([undefined, null, true, 5n, {}, [], [5], Object(5), () => 5])(
  'refuses %o, which is no amount',
  (value) => {
    expect(refusal(value)).toContain("a plain decimal such as '100.00', a string or a finite number");
  },
);

test('refuses more than 2 decimals, and says where float tails come from', () => {
  expect(refusal(0.1 + 0.2)).toContain('float tails');
  expect(refusal('1.005')).toBe('amount must have at most 2 decimals, and this one has 3.');
  expect(refusal('10.000')).toContain('at most 2 decimals');
});

test.each(['12345678901234.56', 2 ** 53, '1000000000000000'])('refuses %o, which is too long', (value) => {
  expect(refusal(value)).toContain('15 significant digits');
});

describe('for every amount of at most 15 digits', () => {
  const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
  const toText = (value: bigint): string => {
    const digits = value.toString().padStart(3, '0');
    return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };

  test('the wire carries the very digits of a string', async () => {
    const { service, requests } = clientAnswering([success(payment, 201)]);
    await fc.assert(
      fc.asyncProperty(cents, async (value) => {
        const amount = toText(value);
        await service.payments.create({ ...paymentInput, amount });
        expect(await requests.at(-1)?.text()).toContain(`"amount":${amount},`);
      }),
    );
  });

  test('a number and its text are the same amount', () => {
    fc.assert(
      fc.property(cents, (value) => {
        const amount = Number(toText(value));
        expect(Number(parseAmount(amount))).toBe(amount);
      }),
    );
  });
});

test('never reads text into an amount of another value', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^-?\d{0,17}\.?\d{0,4}$/)), (value) => {
      let text: string | undefined;
      try {
        text = parseAmount(value);
      } catch {
        return;
      }
      expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{1,2})?$/);
      expect(text).toBe(String(value));
    }),
  );
});
