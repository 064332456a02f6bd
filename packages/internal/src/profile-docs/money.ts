import type { MoneySettings } from '../profile/money.ts';
import type { SettingDocs } from './setting-doc.ts';

/** The documentation of the settings for fees, rates, currencies and amounts. */
export const moneyDocs: SettingDocs<keyof MoneySettings> = {
  fees: {
    group: 'Money',
    client: 'never recomputes `receive_amount`',
    values: '`[{ from?, to?, percent?, flat?, minimum?, maximum?, rounding? }]`',
    example: [
      { from: 'JPY', flat: '300' },
      { percent: '1', flat: '0.30', minimum: '1.00', maximum: '50.00', rounding: 'up' },
    ],
    description:
      'the fee: the first rule for the two currencies; without one, 0; with `feeMode: inRate`, `percent` is the margin; `rounding` is `up` or `down`, and without it that of the setting `rounding`; `[{ "percent": "0.5" }]` by default',
  },
  rates: {
    group: 'Money',
    client: 'never computes with a rate',
    values: '`{ pairs?, spread?, moves?, tiers? }`',
    example: {
      pairs: { 'USD/EUR': '0.92' },
      spread: '0.002',
      moves: { by: '0.001', every: '5s' },
      tiers: [{ from: { EUR: '1000.00' }, pairs: { 'USD/EUR': '0.921' }, spread: '0.001' }],
    },
    description:
      'the rates: those of some pairs as a quote shows them; the share that is deducted from the rates of other pairs; changes by at most a share, each minute or `every` so often; and other rates from an amount on. A pair without a rate has that of its inverse, or of both currencies to USD',
  },
  currencies: {
    group: 'Money',
    client: 'sends any code of three letters',
    values: '`default`, or a list of codes',
    example: ['USD', 'EUR', 'NGN'],
    description: 'the supported currencies: the 46 of the mock, or a list; others are rejected with 422',
  },
  wallets: {
    group: 'Money',
    client: 'returns the wallets that the service has',
    values: '`default`, or `{ CODE: balance }`',
    example: { USD: '2500.00', JPY: '0' },
    description:
      'the opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and GBP, or others',
  },
  amountLimits: {
    group: 'Requests',
    client: 'leaves the limits to the service',
    values: '`{ minimum, maximum }`',
    example: { minimum: '1.00', maximum: '50000.00' },
    description: 'the smallest and the largest amount to send: 0.01 and 999999999.99, or others',
  },
  textLimit: {
    group: 'Requests',
    client: 'leaves the limit to the service',
    values: '`255`, or another number',
    example: 140,
    description: 'the maximum number of characters of a text field; a longer one is rejected with 422',
  },
};
