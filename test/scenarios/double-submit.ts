import { books, create, createOnce, get, hold, type Scenario, type Send, wait } from './scenario.ts';

const MALFORMED = '400 invalid_request_error';
const CONFLICT = '422 idempotency_error';
const STILL_RUNNING = '409 idempotency_error';

/** A create whose event leaves before its answer, so that something can happen in between. */
const slow = (meanwhile: Send['meanwhile'], more: Partial<Send> = {}): Send => ({
  ...createOnce('slow', { beneficiary_account: 'SIM-HOOK-FIRST' }),
  ...more,
  ...(meanwhile && { meanwhile }),
});

/** What an Idempotency-Key promises (contract.md 3). */
export const doubleSubmit: Scenario[] = [
  {
    name: 'double submit: the same key and body make one payment',
    events: true,
    steps: [
      createOnce('order-1'),
      createOnce('order-1'),
      // Equal as parsed JSON: the order of fields and the spelling of a number do not count.
      {
        ...createOnce('order-1'),
        body: '{ "beneficiary_name": "Acme Supplies Ltd", "amount": 1e3, "to_currency": "EUR", "from_currency": "USD" }',
      },
      createOnce('order-1', { amount: 999 }, CONFLICT),
      createOnce('order-1', { foo: 1 }, CONFLICT),
      createOnce('order-1', { amount: -1 }, CONFLICT),
      createOnce('order-2'),
      get('/payments/{1}'),
      ...books,
    ],
  },
  {
    name: 'double submit: a replay shows the first answer, whatever has become of the payment',
    steps: [
      createOnce('k', { beneficiary_account: 'SIM-INSTANT' }),
      get('/payments/{1}'),
      createOnce('k', { beneficiary_account: 'SIM-INSTANT' }),
      ...books,
    ],
  },
  {
    name: 'double submit: a key of each mode and of each account is its own',
    steps: [
      { act: (mock) => mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 1000 }) },
      createOnce('k'),
      { ...createOnce('k'), as: 'live' },
      { ...createOnce('k'), as: 'other' },
      createOnce('k'),
      { ...createOnce('k', { amount: 2 }, CONFLICT), as: 'other' },
      ...books,
    ],
  },
  {
    name: 'double submit: keys that are none',
    steps: [
      ...['', ' ', 'k'.repeat(256), 'a b', 'clé', 'a\tb'].map((key) => createOnce(key, {}, MALFORMED)),
      createOnce('k'.repeat(255)),
      createOnce('!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'),
      // A key says nothing where nothing is made.
      { ...get('/balance'), headers: { 'idempotency-key': '' } },
    ],
  },
  {
    name: 'double submit: a create that is refused is not remembered',
    steps: [
      hold(10),
      createOnce('k', {}, '422 insufficient_funds'),
      createOnce('k', { amount: 0 }, '422 validation_error'),
      hold(1000),
      createOnce('k', { amount: 5 }),
      createOnce('k', { amount: 5 }),
      ...books,
    ],
  },
  {
    name: 'double submit: a key is forgotten after a day',
    steps: [
      createOnce('k'),
      wait('23h'),
      createOnce('k'),
      wait('1h'),
      createOnce('k'),
      createOnce('k'),
      get('/transactions?type=payment'),
    ],
  },
  {
    name: 'double submit: an answer that was lost, or was an error, comes with the second try',
    steps: [
      createOnce('a', { beneficiary_account: 'SIM-500' }, '500 server_error'),
      createOnce('a', { beneficiary_account: 'SIM-500' }),
      createOnce('b', { beneficiary_account: 'SIM-DROP', purpose: 'INV-7' }, 'lost'),
      get('/transactions?type=payment'),
      createOnce('b', { beneficiary_account: 'SIM-DROP', purpose: 'INV-7' }),
      ...books,
    ],
  },
  {
    name: 'double submit: while the first one is still running',
    events: true,
    steps: [
      slow([
        slow(undefined, { gives: STILL_RUNNING }),
        createOnce('slow', {}, CONFLICT),
        get('/payments/{1}', '404 not_found'),
        get('/balance'),
      ]),
      slow(undefined),
      ...books,
    ],
  },
  {
    name: 'double submit: keys ignored by a service that knows none',
    options: { profile: { idempotency: 'ignored' } },
    steps: [createOnce('k'), createOnce('k'), createOnce('', {}), get('/transactions?type=payment')],
  },
  {
    name: 'double submit: a service that answers a repetition with a conflict',
    options: { profile: { idempotency: 'conflict' } },
    steps: [
      createOnce('k'),
      createOnce('k', {}, STILL_RUNNING),
      createOnce('k', { amount: 1 }, CONFLICT),
      create(),
    ],
  },
];
