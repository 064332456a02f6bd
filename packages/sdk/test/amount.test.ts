import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValidationError } from '../src/index.ts';
import { createStubClient, payment, paymentInput, success } from './service.ts';

/** Creates payments, and returns the amount of the last request as it was sent, or the message of the error. */
function createSender(): (amount: unknown) => Promise<string> {
  const { client, requests } = createStubClient([success(payment, 201)]);
  return async (amount) => {
    const sent = requests.length;
    const result: unknown = await client.payments
      .create({ ...paymentInput, amount } as never)
      .catch((error: unknown) => error);
    if (requests.length === sent) {
      if (!(result instanceof ValidationError) || result.outcome !== 'not_sent') throw result;
      return result.message;
    }
    return /"amount":([^,]*),/.exec((await requests.at(-1)?.text()) ?? '')?.[1] ?? '';
  };
}

describe('the amount of payments.create', () => {
  it('is sent with its digits, as a number and as a string, for at most 15 digits', async () => {
    const send = createSender();
    const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
    await fc.assert(
      fc.asyncProperty(cents, async (value) => {
        const digits = value.toString().padStart(3, '0');
        const text = `${digits.slice(0, -2)}.${digits.slice(-2)}`;
        expect(await send(text)).toBe(text);
        expect(Number(await send(Number(text)))).toBe(Number(text));
      }),
    );
  });

  it('is rejected, or sent as the same value, for every text and number', async () => {
    const send = createSender();
    const values = fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^-?\d{0,17}\.?\d{0,4}$/));
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const text = await send(value);
        if (text.startsWith('amount ')) return;
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d{1,2})?$/);
        expect(Number(text)).toBe(Number(value));
      }),
    );
  });

  const notPlain = [
    '',
    ' 5',
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
    1e-7,
    1e21,
  ];
  const notAmounts = [true, {}, [], [5], Object(5), () => 5];
  it.each<[string, readonly unknown[]]>([
    ["a plain decimal such as '100.00'", notPlain],
    ["a plain decimal such as '100.00', as a string or a finite number", notAmounts],
    ['amount must be more than 0.', [0, -0, '0', '0.00', -5, -0.01, '-5.00']],
    ['finite', [Number.NaN, Number.POSITIVE_INFINITY, Number('1e400')]],
    ['rounding errors', [0.1 + 0.2]],
    ['amount must have at most 2 decimals, not 3.', ['1.005', '10.000']],
    ['15 significant digits', ['12345678901234.56', 2 ** 53, '1000000000000000']],
  ])('is rejected with the problem: %s', async (problem, values) => {
    const send = createSender();
    for (const value of values) expect(await send(value)).toContain(problem);
  });
});
