import type { ProfileChoice } from '@service/mock';
import {
  ledger,
  create,
  createOnce,
  get,
  setBalance,
  type Outcome,
  type Scenario,
  type Send,
  type Step,
  wait,
} from './scenario.ts';

const INVALID = '422 validation_error';
const INSUFFICIENT = '422 insufficient_funds';

const names = [
  'José Ñandú',
  'محمد',
  '株式会社テスト',
  "O'Brien & Söhne",
  '👩‍👩‍👧‍👦',
  'Cafe\u0301',
  '\u200Fשלום',
  '😀'.repeat(255),
  `  ${'x'.repeat(255)}  `,
];
const invalidNames = [
  undefined,
  null,
  '',
  '   ',
  'x'.repeat(256),
  '😀'.repeat(256),
  'a\u0000b',
  'a\nb',
  'a\u007Fb',
  '\uD800',
  5,
  {},
];

/** Creates a payment with a lone surrogate, which JSON can express only as an escape. */
const surrogate = (field: string): Send => ({
  ...create({}, INVALID),
  body: `{"from_currency":"USD","to_currency":"EUR","amount":1,"beneficiary_name":"A","${field}":"\\ud800"}`,
});

const getFirst = get('/payments/{1}');

/** Creates a payment with a magic account and reads it while the clock advances. */
const magic = (account: string, expected: Outcome = '201'): Scenario => ({
  name: `payments: ${account}`,
  events: true,
  steps: [
    setBalance(1000),
    create({ beneficiary_account: account, purpose: 'INV-1' }, expected),
    ...(expected === '201'
      ? [getFirst, wait('1s'), getFirst, wait('3s'), getFirst, wait('5s'), getFirst]
      : [wait('9s')]),
    ...ledger,
    get('/transactions?status=failed'),
    get('/transactions?type=refund'),
  ],
});

/** Changes the status of the first payment through the sandbox, and ignores transitions that are not possible. */
const changeFirst = (...changes: ('advance' | 'complete' | 'fail' | 'return')[]): Step[] =>
  changes.flatMap((change): Step[] => [
    {
      act: async ({ sandbox }) => {
        const [created] = sandbox.requests.list({ operation: 'createPayment' });
        try {
          sandbox.payments[change](created?.effects.payment_id ?? '');
        } catch (error) {
          if ((error as { code?: string }).code !== 'invalid_state') throw error;
        }
        await sandbox.idle();
      },
    },
    getFirst,
  ]);

const manually = (name: string, ...changes: Parameters<typeof changeFirst>): Scenario => ({
  name: `payments: manual transitions, ${name}`,
  events: true,
  steps: [setBalance(1000), create(), ...changeFirst(...changes), wait('9s'), getFirst, ...ledger],
});

const withProfile = (profile: ProfileChoice): Scenario => ({
  name: `payments: the profile ${JSON.stringify(profile)}`,
  options: { profile },
  events: true,
  steps: [
    setBalance('1005.00'),
    create({ beneficiary_account: 'SIM-FAIL' }, `${profile.successStatus?.createPayment ?? 201}`),
    create({ amount: 5.01 }, INSUFFICIENT),
    get('/balance'),
    wait('1s'),
    getFirst,
    get('/balance'),
    wait('3s'),
    getFirst,
    ...ledger,
  ],
});

/** Payments and their ledger entries (docs/contract.md#payments). */
export const payments: Scenario[] = [
  {
    name: 'payments: the whole balance can be paid, and 0.01 more gets 422',
    events: true,
    steps: [
      setBalance(1000),
      create({ amount: 1000.01 }, INSUFFICIENT),
      ...ledger,
      create(),
      ...ledger,
      create({ amount: 0.01 }, INSUFFICIENT),
    ],
  },
  {
    name: 'payments: a currency without a wallet and invalid amounts get 422',
    steps: [
      create({ from_currency: 'CHF', amount: 0.01 }, INSUFFICIENT),
      ...[10.005, 0, -1, 1e9, '10', null, true].map((amount) => create({ amount }, INVALID)),
      create({ to_currency: 'KWD', amount: 0.01 }, INVALID),
      create(
        { from_currency: 'usd', to_currency: 'XAU', amount: 0.001, beneficiary_name: '', purpose: 7 },
        INVALID,
      ),
      ...ledger,
    ],
  },
  {
    name: 'payments: optional fields can be absent or null',
    steps: [
      create(),
      getFirst,
      create({ beneficiary_bank: null, beneficiary_account: null, beneficiary_country: null, purpose: null }),
      create({
        beneficiary_bank: 'Bank',
        beneficiary_account: 'DE89',
        beneficiary_country: 'DE',
        purpose: 'INV-1',
        foo: 1,
      }),
      get('/payments/{3}'),
      ...['beneficiary_bank', 'beneficiary_account', 'beneficiary_country', 'purpose'].flatMap((field) => [
        ...['', ' ', 'x'.repeat(256), 'a\tb', 5].map((bad) => create({ [field]: bad }, INVALID)),
        surrogate(field),
      ]),
      get('/transactions'),
    ],
  },
  {
    name: 'payments: Unicode names are returned unchanged',
    events: true,
    steps: names.flatMap((name, index) => [
      create({ beneficiary_name: name, purpose: name, amount: 1 }),
      get(`/payments/{${index + 1}}`),
    ]),
  },
  {
    name: 'payments: invalid names get 422',
    steps: [
      ...invalidNames.map((name) => create({ beneficiary_name: name }, INVALID)),
      surrogate('beneficiary_name'),
      ...ledger,
    ],
  },
  ...['SIM-OK', 'SIM-FAIL', 'SIM-FAIL-EARLY', 'SIM-RETURN', 'SIM-STUCK', 'SIM-PENDING', 'SIM-INSTANT'].map(
    (account) => magic(account),
  ),
  ...['SIM-HOOK-FIRST', 'SIM-HOOK-DUP', 'SIM-HOOK-SHUFFLE'].map((account) => magic(account)),
  magic('SIM-500', '500 server_error'),
  magic('SIM-DROP', 'lost'),
  ...['sim-fail', 'SIM-FAIL ', 'SIM-NONE'].map((account) => magic(account)),
  manually('one after the other', 'return', 'advance', 'advance', 'advance'),
  manually('completed, then returned by the bank', 'complete', 'complete', 'fail', 'return', 'return'),
  manually('failed while pending', 'fail', 'fail', 'complete', 'advance'),
  manually('failed while processing', 'advance', 'fail', 'return'),
  {
    name: 'payments: magic values have no effect in live mode',
    events: true,
    steps: [
      { act: (mock) => mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 5000 }) },
      ...['SIM-DROP', 'SIM-500', 'SIM-FAIL', 'SIM-INSTANT'].map((account): Send => ({
        ...create({ beneficiary_account: account }),
        as: 'live',
      })),
      create(),
      wait('4s'),
      ...[1, 2, 3, 4].map((nth): Send => ({ ...get(`/payments/{${nth}}`), as: 'live' })),
      { ...get('/transactions'), as: 'live' },
      ...ledger,
    ],
  },
  {
    name: 'payments: payments of other accounts and modes get 404',
    steps: [
      create(),
      get('/payments/pay_test_000000000000000000000000', '404 not_found'),
      { ...get('/payments/{1}', '404 not_found'), as: 'other' },
      { ...get('/payments/pay_test_000000000000000000000000', '404 not_found'), as: 'other' },
      { ...get('/payments/{1}', '404 not_found'), as: 'live' },
      { ...get('/transactions'), as: 'other' },
      { ...get('/transactions'), as: 'live' },
      { ...get('/balance'), as: 'other' },
      ...['constructor', '__proto__', '%00', '%E0%A4%A', '%2e%2e%2fbalance', 'PAY_TEST_', '{1}%20', 'é'].map(
        (id) => get(`/payments/${id}`, '404 not_found'),
      ),
    ],
  },
  withProfile({ fees: { percent: '0.5', mode: 'onTop' }, successStatus: { createPayment: 202 } }),
  withProfile({ debitAt: 'processing', refund: 'lessFee', absent: 'omit' }),
  withProfile({
    debitAt: 'completed',
    statuses: 'skip',
    successStatus: { createPayment: 200 },
    absent: 'empty',
  }),
  withProfile({
    refund: 'none',
    timestamps: 'fraction',
    numbers: 'string',
  }),
  withProfile({ events: ['failed'], timestamps: 'zulu', rows: 'minimal', fees: {} }),
  {
    name: 'payments: two equal creates without a key are two payments',
    steps: [
      create(),
      create(),
      get('/payments/{2}'),
      get('/transactions?type=payment'),
      createOnce('k'),
      ...ledger,
    ],
  },
];
