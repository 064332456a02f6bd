import type { Profile } from '@service/mock';
import {
  books,
  create,
  createOnce,
  get,
  hold,
  type Outcome,
  type Scenario,
  type Send,
  type Step,
  wait,
} from './scenario.ts';

const REFUSED = '422 validation_error';
const POOR = '422 insufficient_funds';

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
const noNames = [
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

/** A text field with a lone surrogate, which only an escape can spell. */
const surrogate = (field: string): Send => ({
  ...create({}, REFUSED),
  body: `{"from_currency":"USD","to_currency":"EUR","amount":1,"beneficiary_name":"A","${field}":"\\ud800"}`,
});

/** Looks at the first payment. */
const look = get('/payments/{1}');

/** A payment with a magic value, looked at while time goes by. */
const magic = (account: string, gives: Outcome = '201'): Scenario => ({
  name: `payments: ${account}`,
  events: true,
  steps: [
    hold(1000),
    create({ beneficiary_account: account, purpose: 'INV-1' }, gives),
    ...(gives === '201' ? [look, wait('1s'), look, wait('3s'), look, wait('5s'), look] : [wait('9s')]),
    ...books,
    get('/transactions?status=failed'),
    get('/transactions?type=refund'),
  ],
});

/** Moves the first payment by hand, or learns that it cannot be moved so. */
const move = (...wanted: ('advance' | 'complete' | 'fail' | 'return')[]): Step[] =>
  wanted.flatMap((each): Step[] => [
    {
      act: async ({ sandbox }) => {
        const [made] = sandbox.requests.list({ operation: 'createPayment' });
        try {
          sandbox.payments[each](made?.effects.payment_id ?? '');
        } catch (error) {
          if ((error as { code?: string }).code !== 'invalid_state') throw error;
        }
        await sandbox.idle();
      },
    },
    look,
  ]);

const byHand = (name: string, ...wanted: Parameters<typeof move>): Scenario => ({
  name: `payments: by hand, ${name}`,
  events: true,
  steps: [hold(1000), create(), ...move(...wanted), wait('9s'), look, ...books],
});

const under = (profile: Partial<Profile>): Scenario => ({
  name: `payments: under ${JSON.stringify(profile)}`,
  options: { profile },
  events: true,
  steps: [
    hold('1005.00'),
    create({ beneficiary_account: 'SIM-FAIL' }, `${profile.createStatus ?? 201}`),
    create({ amount: 5.01 }, POOR),
    get('/balance'),
    wait('1s'),
    look,
    get('/balance'),
    wait('3s'),
    look,
    ...books,
  ],
});

/** What becomes of payments and of the money in them (contract.md 3 and 8). */
export const payments: Scenario[] = [
  {
    name: 'payments: the whole balance, and a cent more',
    events: true,
    steps: [
      hold(1000),
      create({ amount: 1000.01 }, POOR),
      ...books,
      create(),
      ...books,
      create({ amount: 0.01 }, POOR),
    ],
  },
  {
    name: 'payments: a currency without a wallet, and amounts that no payment has',
    steps: [
      create({ from_currency: 'CHF', amount: 0.01 }, POOR),
      ...[10.005, 0, -1, 1e9, '10', null, true].map((amount) => create({ amount }, REFUSED)),
      create({ to_currency: 'KWD', amount: 0.01 }, REFUSED),
      create(
        { from_currency: 'usd', to_currency: 'XAU', amount: 0.001, beneficiary_name: '', purpose: 7 },
        REFUSED,
      ),
      ...books,
    ],
  },
  {
    name: 'payments: optional fields, absent and null alike',
    steps: [
      create(),
      look,
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
        ...['', ' ', 'x'.repeat(256), 'a\tb', 5].map((bad) => create({ [field]: bad }, REFUSED)),
        surrogate(field),
      ]),
      get('/transactions'),
    ],
  },
  {
    name: 'payments: names of all kinds come back as they were sent',
    events: true,
    steps: names.flatMap((name, index) => [
      create({ beneficiary_name: name, purpose: name, amount: 1 }),
      get(`/payments/{${index + 1}}`),
    ]),
  },
  {
    name: 'payments: names that are none',
    steps: [
      ...noNames.map((name) => create({ beneficiary_name: name }, REFUSED)),
      surrogate('beneficiary_name'),
      ...books,
    ],
  },
  ...['SIM-OK', 'SIM-FAIL', 'SIM-FAIL-EARLY', 'SIM-RETURN', 'SIM-STUCK', 'SIM-PENDING', 'SIM-INSTANT'].map(
    (account) => magic(account),
  ),
  ...['SIM-HOOK-FIRST', 'SIM-HOOK-DUP', 'SIM-HOOK-SHUFFLE'].map((account) => magic(account)),
  magic('SIM-500', '500 server_error'),
  magic('SIM-DROP', 'lost'),
  ...['sim-fail', 'SIM-FAIL ', 'SIM-NONE'].map((account) => magic(account)),
  byHand('one step after the other', 'return', 'advance', 'advance', 'advance'),
  byHand('completed at once, and sent back by the bank', 'complete', 'complete', 'fail', 'return', 'return'),
  byHand('failed before it began', 'fail', 'fail', 'complete', 'advance'),
  byHand('failed on its way', 'advance', 'fail', 'return'),
  {
    name: 'payments: magic values are ordinary text in live mode',
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
      ...books,
    ],
  },
  {
    name: 'payments: of others are as if they were not',
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
  under({ feeMode: 'onTop', createStatus: 202 }),
  under({ debitAt: 'processing', refund: 'lessFee', absent: 'omit' }),
  under({ debitAt: 'completed', transitions: 'skip', createStatus: 200, absent: 'empty' }),
  under({ unknownStatus: 'invented', refund: 'none', timestamps: 'fraction', numbers: 'string' }),
  under({ events: ['failed'], timestamps: 'zulu', transactionShape: 'minimal', feeMode: 'none' }),
  {
    name: 'payments: two of the same without a key are two payments',
    steps: [
      create(),
      create(),
      get('/payments/{2}'),
      get('/transactions?type=payment'),
      createOnce('k'),
      ...books,
    ],
  },
];
