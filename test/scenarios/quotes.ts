import { ledger, get, type Outcome, type Scenario, type Send } from './scenario.ts';

const quote = (from: unknown, to: unknown, amount: unknown, expected: Outcome = '200'): Send => ({
  send: 'POST /quotes',
  body: { from_currency: from, to_currency: to, amount },
  expected,
});

const INVALID = '422 validation_error';

/** Requests a quote with the amount as literal JSON text. */
const quoteText = (
  amount: string,
  expected: Outcome = '200',
  pair: [from: string, to: string] = ['USD', 'EUR'],
): Send => ({
  send: 'POST /quotes',
  body: `{"from_currency":"${pair[0]}","to_currency":"${pair[1]}","amount":${amount}}`,
  expected,
});

const vectors: Send[] = [
  quote('USD', 'EUR', 1000),
  quote('USD', 'EUR', 29),
  quote('USD', 'EUR', 3),
  quote('USD', 'EUR', 1),
  quote('USD', 'AED', 2),
  quote('USD', 'JPY', 1000),
  quote('USD', 'KWD', 1000),
  quote('EUR', 'XOF', 250),
  quote('JPY', 'USD', 10_000),
  quote('VND', 'USD', 1_000_000),
  quote('USD', 'USD', 100),
  quote('USD', 'NGN', 999_999_999.99),
];

const invalidCodes = [
  'usd',
  'US',
  'USDX',
  'ZZZ',
  'XAU',
  'XXX',
  ' USD',
  '',
  null,
  5,
  ['USD'],
  '__proto__',
  'toString',
];

/** Quotes (docs/contract.md#quotes) and amounts (docs/contract.md#money). */
export const quotes: Scenario[] = [
  { name: 'quotes: the amounts of the contract', steps: vectors },
  {
    name: 'quotes: ISO minor units',
    options: { profile: { minorUnits: 'iso' } },
    steps: [
      ...vectors,
      quote('JPY', 'USD', 100.5, INVALID),
      quote('KWD', 'USD', 0.125, INVALID),
      quote('XOF', 'EUR', 1),
    ],
  },
  {
    name: 'quotes: limits and notation of amounts',
    steps: [
      ...['0.01', '999999999.99', '10.000', '1e2', '1E+2', '100e-2', '0.10'].map((text) => quoteText(text)),
      ...['1000000000', '0.001', '0.009', '1.005', '0', '-0', '-1', '1e400', '1e-7', '1e21'].map((text) =>
        quoteText(text, INVALID),
      ),
      ...['"10"', 'true', 'null', '[10]', '{}'].map((text) => quoteText(text, INVALID)),
      ...['01', '1.', '.5', '+1', 'NaN', 'Infinity', '0x10', '1_000'].map((text) =>
        quoteText(text, '400 invalid_request_error'),
      ),
      // A quote may have a receive_amount of 0.
      quoteText('0.01', '200', ['USD', 'KWD']),
      quoteText('0.01', '200', ['VND', 'USD']),
    ],
  },
  {
    name: 'quotes: invalid currency codes get 422',
    steps: [
      ...invalidCodes.flatMap((code) => [quote(code, 'EUR', 1, INVALID), quote('USD', code, 1, INVALID)]),
      { send: 'POST /quotes', body: {}, expected: INVALID },
      { send: 'POST /quotes', body: { amount: 1 }, expected: INVALID },
      quote('usd', null, 'much', INVALID),
      quote('USD', 'USD', 100),
    ],
  },
  {
    name: 'quotes: a quote ignores unknown fields and changes no balance',
    steps: [
      {
        send: 'POST /quotes',
        body: `{"foo":1,"amount":5,"from_currency":"USD","to_currency":"EUR","__proto__":{"amount":7}}`,
        expected: '200',
      },
      // The last of two fields with the same name applies.
      {
        send: 'POST /quotes',
        body: `{"amount":5,"amount":6,"from_currency":"USD","to_currency":"EUR"}`,
        expected: '200',
      },
      ...ledger,
      { ...quote('USD', 'EUR', 1000), as: 'live' },
      { ...get('/balance'), as: 'live' },
    ],
  },
  {
    name: 'quotes: a profile can reject equal currencies and unknown fields, and accept codes in any case',
    options: {
      profile: {
        currencies: { same: 'reject', case: 'normalise' },
        successStatus: { createQuote: 201 },
        requestBody: { unknownFields: 'reject' },
      },
    },
    steps: [
      quote('USD', 'USD', 100, INVALID),
      quote('usd', 'Eur', 100, '201'),
      {
        send: 'POST /quotes',
        body: { foo: 1, from_currency: 'USD', to_currency: 'EUR', amount: 1 },
        expected: INVALID,
      },
    ],
  },
  ...(['round', 'truncate'] as const).map((precision): Scenario => ({
    name: `quotes: excess precision with ${precision}`,
    options: { profile: { amounts: { precision } } },
    steps: [
      quoteText('1.005'),
      quoteText('1.0049999999999999999'),
      quoteText('0.004', INVALID),
      quoteText('0.999e-2', INVALID),
    ],
  })),
  ...(['onTop', 'none'] as const).map((feeMode): Scenario => ({
    name: `quotes: the fee mode ${feeMode}`,
    options: {
      profile: {
        fees: feeMode === 'none' ? {} : { percent: '0.5', mode: feeMode },
        rounding: 'half_even',
        numbers: 'floatTail',
      },
    },
    steps: [quote('USD', 'EUR', 1000), quote('USD', 'EUR', 29), quote('USD', 'JPY', 0.01)],
  })),
];
