import { books, get, type Outcome, type Scenario, type Send } from './scenario.ts';

const quote = (from: unknown, to: unknown, amount: unknown, gives: Outcome = '200'): Send => ({
  send: 'POST /quotes',
  body: { from_currency: from, to_currency: to, amount },
  gives,
});

const REFUSED = '422 validation_error';

/** A quote whose amount is written as text says, digit for digit. */
const spelt = (
  amount: string,
  gives: Outcome = '200',
  pair: [from: string, to: string] = ['USD', 'EUR'],
): Send => ({
  send: 'POST /quotes',
  body: `{"from_currency":"${pair[0]}","to_currency":"${pair[1]}","amount":${amount}}`,
  gives,
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

const badCodes = [
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

/** What a quote is, and what it refuses (contract.md 1, 2 and 9). */
export const quotes: Scenario[] = [
  { name: 'quotes: the figures of the contract', steps: vectors },
  {
    name: 'quotes: ISO minor units',
    options: { profile: { minorUnits: 'iso' } },
    steps: [
      ...vectors,
      quote('JPY', 'USD', 100.5, REFUSED),
      quote('KWD', 'USD', 0.125, REFUSED),
      quote('XOF', 'EUR', 1),
    ],
  },
  {
    name: 'quotes: amounts at their edges, and how they are spelt',
    steps: [
      ...['0.01', '999999999.99', '10.000', '1e2', '1E+2', '100e-2', '0.10'].map((text) => spelt(text)),
      ...['1000000000', '0.001', '0.009', '1.005', '0', '-0', '-1', '1e400', '1e-7', '1e21'].map((text) =>
        spelt(text, REFUSED),
      ),
      ...['"10"', 'true', 'null', '[10]', '{}'].map((text) => spelt(text, REFUSED)),
      ...['01', '1.', '.5', '+1', 'NaN', 'Infinity', '0x10', '1_000'].map((text) =>
        spelt(text, '400 invalid_request_error'),
      ),
      // So little that nothing arrives: a quote may say so.
      spelt('0.01', '200', ['USD', 'KWD']),
      spelt('0.01', '200', ['VND', 'USD']),
    ],
  },
  {
    name: 'quotes: codes that are none',
    steps: [
      ...badCodes.flatMap((code) => [quote(code, 'EUR', 1, REFUSED), quote('USD', code, 1, REFUSED)]),
      { send: 'POST /quotes', body: {}, gives: REFUSED },
      { send: 'POST /quotes', body: { amount: 1 }, gives: REFUSED },
      quote('usd', null, 'much', REFUSED),
      quote('USD', 'USD', 100),
    ],
  },
  {
    name: 'quotes: change nothing, whatever else is in them',
    steps: [
      {
        send: 'POST /quotes',
        body: `{"foo":1,"amount":5,"from_currency":"USD","to_currency":"EUR","__proto__":{"amount":7}}`,
        gives: '200',
      },
      // Of two fields of one name the last counts.
      {
        send: 'POST /quotes',
        body: `{"amount":5,"amount":6,"from_currency":"USD","to_currency":"EUR"}`,
        gives: '200',
      },
      ...books,
      { ...quote('USD', 'EUR', 1000), as: 'live' },
      { ...get('/balance'), as: 'live' },
    ],
  },
  {
    name: 'quotes: the same currency refused, and codes in any case',
    options: {
      profile: {
        sameCurrency: 'reject',
        currencyCase: 'normalise',
        quoteStatus: 201,
        unknownFields: 'reject',
      },
    },
    steps: [
      quote('USD', 'USD', 100, REFUSED),
      quote('usd', 'Eur', 100, '201'),
      {
        send: 'POST /quotes',
        body: { foo: 1, from_currency: 'USD', to_currency: 'EUR', amount: 1 },
        gives: REFUSED,
      },
    ],
  },
  ...(['round', 'truncate'] as const).map((excessPrecision): Scenario => ({
    name: `quotes: what is too fine under ${excessPrecision}`,
    options: { profile: { excessPrecision } },
    steps: [
      spelt('1.005'),
      spelt('1.0049999999999999999'),
      spelt('0.004', REFUSED),
      spelt('0.999e-2', excessPrecision === 'round' ? '200' : REFUSED),
    ],
  })),
  ...(['onTop', 'inRate', 'none'] as const).map((feeMode): Scenario => ({
    name: `quotes: a fee ${feeMode}`,
    options: { profile: { feeMode, rounding: 'half_even', numbers: 'floatTail' } },
    steps: [quote('USD', 'EUR', 1000), quote('USD', 'EUR', 29), quote('USD', 'JPY', 0.01)],
  })),
];
