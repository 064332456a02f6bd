import { ledger, create, createOnce, get, setBalance, type Scenario, type Send, wait } from './scenario.ts';

const MALFORMED = '400 invalid_request_error';
const CONFLICT = '422 idempotency_error';
const STILL_RUNNING = '409 idempotency_error';

/** Creates a payment whose event is delivered before the response, so that steps can run in between. */
const slow = (duringDelivery: Send['duringDelivery'], overrides: Partial<Send> = {}): Send => ({
  ...createOnce('slow', { beneficiary_account: 'SIM-HOOK-FIRST' }),
  ...overrides,
  ...(duringDelivery && { duringDelivery }),
});

/** The rules of idempotency keys (docs/contract.md#idempotency-keys). */
export const doubleSubmit: Scenario[] = [
  {
    name: 'idempotency keys: a repeated key and body create one payment',
    events: true,
    steps: [
      createOnce('order-1'),
      createOnce('order-1'),
      // Bodies are compared as parsed JSON: field order and number notation are irrelevant.
      {
        ...createOnce('order-1'),
        body: '{ "beneficiary_name": "Acme Supplies Ltd", "amount": 1e3, "to_currency": "EUR", "from_currency": "USD" }',
      },
      createOnce('order-1', { amount: 999 }, CONFLICT),
      createOnce('order-1', { foo: 1 }, CONFLICT),
      createOnce('order-1', { amount: -1 }, CONFLICT),
      createOnce('order-2'),
      get('/payments/{1}'),
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: a replay repeats the first response after the status changed',
    steps: [
      createOnce('k', { beneficiary_account: 'SIM-INSTANT' }),
      get('/payments/{1}'),
      createOnce('k', { beneficiary_account: 'SIM-INSTANT' }),
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: keys are separate per mode and account',
    steps: [
      { act: (mock) => mock.sandbox.wallets.credit({ mode: 'live', currency: 'USD', amount: 1000 }) },
      createOnce('k'),
      { ...createOnce('k'), as: 'live' },
      { ...createOnce('k'), as: 'other' },
      createOnce('k'),
      { ...createOnce('k', { amount: 2 }, CONFLICT), as: 'other' },
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: malformed keys get 400',
    steps: [
      ...['', ' ', 'k'.repeat(256), 'a b', 'clé', 'a\tb'].map((key) => createOnce(key, {}, MALFORMED)),
      createOnce('k'.repeat(255)),
      createOnce('!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'),
      // Other operations ignore the key.
      { ...get('/balance'), headers: { 'idempotency-key': '' } },
    ],
  },
  {
    name: 'idempotency keys: a rejected create does not use its key',
    steps: [
      setBalance(10),
      createOnce('k', {}, '422 insufficient_funds'),
      createOnce('k', { amount: 0 }, '422 validation_error'),
      setBalance(1000),
      createOnce('k', { amount: 5 }),
      createOnce('k', { amount: 5 }),
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: keys expire after 24 hours',
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
    name: 'idempotency keys: a retry returns a response that was lost or was a 500',
    steps: [
      createOnce('a', { beneficiary_account: 'SIM-500' }, '500 server_error'),
      createOnce('a', { beneficiary_account: 'SIM-500' }),
      createOnce('b', { beneficiary_account: 'SIM-DROP', purpose: 'INV-7' }, 'lost'),
      get('/transactions?type=payment'),
      createOnce('b', { beneficiary_account: 'SIM-DROP', purpose: 'INV-7' }),
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: a repetition during the first create gets 409',
    events: true,
    steps: [
      slow([
        slow(undefined, { expected: STILL_RUNNING }),
        createOnce('slow', {}, CONFLICT),
        get('/payments/{1}', '404 not_found'),
        get('/balance'),
      ]),
      slow(undefined),
      ...ledger,
    ],
  },
  {
    name: 'idempotency keys: a service that ignores keys creates two payments',
    options: { profile: { idempotency: 'ignored' } },
    steps: [createOnce('k'), createOnce('k'), createOnce('', {}), get('/transactions?type=payment')],
  },
  {
    name: 'idempotency keys: a service that responds to a repetition with a conflict',
    options: { profile: { idempotency: 'conflict' } },
    steps: [
      createOnce('k'),
      createOnce('k', {}, STILL_RUNNING),
      createOnce('k', { amount: 1 }, CONFLICT),
      create(),
    ],
  },
];
