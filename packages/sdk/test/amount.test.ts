import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount } from '../src/values/money.ts';
import { isValidationError } from '../src/index.ts';
import { createStubClient, payment, paymentInput, success } from './service.ts';

function getErrorMessage(value: unknown): string {
  try {
    parseAmount(value);
  } catch (error) {
    if (isValidationError(error) && error.outcome === 'not_sent') return error.message;
    throw error;
  }
  throw new Error('the amount was expected to be refused');
}

describe('an amount of at most 15 digits', () => {
  const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
  const toText = (value: bigint): string => {
    const digits = value.toString().padStart(3, '0');
    return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
  };

  it('is sent with the digits of its string', async () => {
    const { client, requests } = createStubClient([success(payment, 201)]);
    await fc.assert(
      fc.asyncProperty(cents, async (value) => {
        const amount = toText(value);
        await client.payments.create({ ...paymentInput, amount });
        expect(await requests.at(-1)?.text()).toContain(`"amount":${amount},`);
      }),
    );
  });

  it('is equal as a number and as a string', () => {
    fc.assert(
      fc.property(cents, (value) => {
        const amount = Number(toText(value));
        expect(Number(parseAmount(amount))).toBe(amount);
      }),
    );
  });
});

describe('parseAmount', () => {
  it.each([
    ['100.00', '100.00'],
    ['0.01', '0.01'],
    ['0.1', '0.1'],
    ['9999999999999.99', '9999999999999.99'],
    [100, '100'],
    [0.01, '0.01'],
    [999999999.99, '999999999.99'],
    [1e2, '100'],
  ])('parses %o as %s', (value, text) => {
    expect(parseAmount(value)).toBe(text);
  });

  it.each([
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
  ])('rejects %o, which is not a plain decimal', (value) => {
    expect(getErrorMessage(value)).toContain("a plain decimal such as '100.00'");
  });

  it.each([0, -0, '0', '0.00', -5, -0.01, '-5.00'])('rejects %o, which is not more than 0', (value) => {
    expect(getErrorMessage(value)).toBe('amount must be more than 0.');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number('1e400')])(
    'rejects %o, which is not finite',
    (value) => {
      expect(getErrorMessage(value)).toContain('finite');
    },
  );

  it.each([undefined, null, true, 5n, {}, [], [5], Object(5), () => 5])(
    'rejects %o, which is not an amount',
    (value) => {
      expect(getErrorMessage(value)).toContain(
        "a plain decimal such as '100.00', as a string or a finite number",
      );
    },
  );

  it('rejects more than 2 decimals and explains float tails', () => {
    expect(getErrorMessage(0.1 + 0.2)).toContain('rounding errors');
    expect(getErrorMessage('1.005')).toBe('amount must have at most 2 decimals, and this one has 3.');
    expect(getErrorMessage('10.000')).toContain('at most 2 decimals');
  });

  it.each(['12345678901234.56', 2 ** 53, '1000000000000000'])(
    'rejects %o, which has too many digits',
    (value) => {
      expect(getErrorMessage(value)).toContain('15 significant digits');
    },
  );

  it('never parses text as an amount of another value', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^-?\d{0,17}\.?\d{0,4}$/)),
        (value) => {
          let text: string | undefined;
          try {
            text = parseAmount(value);
          } catch {
            return;
          }
          expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{1,2})?$/);
          expect(text).toBe(String(value));
        },
      ),
    );
  });
});
