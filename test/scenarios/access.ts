import { create, get, type Scenario, type Send, type Step } from './scenario.ts';

const UNAUTHENTICATED = '401 authentication_error';

const call = (
  headers: Send['headers'],
  expected: Send['expected'] = UNAUTHENTICATED,
  send: Send['send'] = 'GET /balance',
): Send => ({
  send,
  as: 'anonymous',
  expected,
  ...(headers && { headers }),
});

const allPaths: Send['send'][] = [
  'GET /balance',
  'HEAD /balance',
  'GET /transactions',
  'GET /payments/x',
  'POST /payments',
  'POST /quotes',
  'DELETE /balance',
  'GET /nothing',
];

/** Regenerates a key of the default account. */
const regenerate = (mode: 'test' | 'live'): Step => ({
  act: (mock) => mock.sandbox.accounts.regenerateKey({ mode }),
});

/** Authentication and suspension (docs/contract.md#authentication). */
export const access: Scenario[] = [
  {
    name: 'authentication: a request without a key gets 401 on every path, known or not',
    steps: allPaths.map((send) => call({}, send.startsWith('HEAD') ? '401' : UNAUTHENTICATED, send)),
  },
  {
    name: 'authentication: malformed and unknown keys get 401',
    steps: [
      'Basic dTpw',
      'Bearer',
      'Bearer ',
      'Bearer service_test_nobody',
      'Bearer service_live_nobody',
      'Bearer {testKey}x',
      'Bearer {testKey} {testKey}',
      'Bearer {testKey}, Bearer {testKey}',
      'Bearer{testKey}',
      'Token {testKey}',
      '{testKey}',
      '',
      'Bearer __proto__',
    ].map((authorization) => call({ authorization })),
  },
  {
    name: 'authentication: a key with non-ASCII characters gets 401',
    steps: [call({ authorization: 'Bearer é' }), call({ 'x-api-key': 'é' })],
  },
  {
    name: 'authentication: both headers are accepted, in any case',
    steps: [
      ...['Bearer {testKey}', 'bearer {testKey}', 'BEARER   {testKey}'].map((authorization) =>
        call({ authorization }, '200'),
      ),
      call({ 'x-api-key': '{testKey}' }, '200'),
      call({ 'x-api-key': '{liveKey}' }, '200'),
      call({ 'x-api-key': '{otherKey}' }, '200'),
      call({ 'X-API-KEY': '{testKey}', AUTHORIZATION: 'Bearer {testKey}' }, '200'),
      ...['', 'nobody', 'Bearer {testKey}'].map((key) => call({ 'x-api-key': key })),
    ],
  },
  {
    name: 'authentication: two different keys get 401',
    steps: [
      call({ 'x-api-key': '{liveKey}', authorization: 'Bearer {testKey}' }),
      call({ 'x-api-key': '{testKey}', authorization: 'Basic dTpw' }),
      call({ 'x-api-key': '{testKey}', authorization: 'Bearer ' }),
      call({ 'x-api-key': '', authorization: 'Bearer {testKey}' }),
    ],
  },
  ...(['bearer', 'apiKey'] as const).map((bothKeys): Scenario => ({
    name: `authentication: two keys with bothKeys ${bothKeys}`,
    options: { profile: { bothKeys } },
    steps: [
      call({ 'x-api-key': '{liveKey}', authorization: 'Bearer {testKey}' }, '200'),
      call({ 'x-api-key': 'service_live_nobody' }),
      call({ authorization: 'Bearer service_test_nobody' }),
    ],
  })),
  {
    name: 'authentication: a key in the query is ignored',
    steps: [
      call({}, UNAUTHENTICATED, 'GET /balance?api_key={testKey}'),
      call({}, UNAUTHENTICATED, 'GET /balance?authorization=Bearer%20{testKey}'),
      get('/balance?api_key={liveKey}&anything=else'),
    ],
  },
  {
    name: 'authentication: a regenerated key replaces the old one at once and reads the same payments',
    steps: [
      create(),
      regenerate('test'),
      { ...get('/balance', UNAUTHENTICATED), as: 'replaced' },
      { ...create({}, UNAUTHENTICATED), as: 'replaced' },
      get('/payments/{1}'),
      get('/transactions'),
      { ...get('/balance'), as: 'live' },
      regenerate('live'),
      { ...get('/balance'), as: 'live' },
      get('/balance'),
    ],
  },
  {
    name: 'authentication: a create continues when its key is regenerated',
    events: true,
    steps: [
      {
        ...create({ beneficiary_account: 'SIM-HOOK-FIRST' }),
        duringDelivery: [
          regenerate('test'),
          { ...get('/balance', UNAUTHENTICATED), as: 'replaced' },
          get('/balance'),
        ],
      },
      get('/payments/{1}'),
      get('/transactions'),
    ],
  },
  {
    name: 'authentication: responses and errors have the mode of the key',
    steps: (['test', 'live', 'other'] as const).flatMap((as): Step[] => [
      { ...get('/balance'), as },
      { ...get('/nothing', '404 not_found'), as },
      { ...create({ amount: -1 }, '422 validation_error'), as },
      { send: 'PUT /balance', expected: '405 method_not_allowed', as },
    ]),
  },
  {
    name: 'authentication: a suspended account gets 403',
    steps: [
      { act: (mock) => mock.sandbox.accounts.suspend() },
      ...(['test', 'live'] as const).map((as): Send => ({ ...get('/balance', '403 permission_error'), as })),
      create({}, '403 permission_error'),
      get('/nothing', '403 permission_error'),
      { ...get('/balance'), as: 'other' },
      { send: 'OPTIONS /balance', expected: '204' },
      { act: (mock) => mock.sandbox.accounts.resume() },
      get('/balance'),
    ],
  },
  {
    name: 'authentication: a payment of another account gets 403 with a refusal of its own',
    options: {
      profile: {
        refusals: {
          foreign_payment: {
            status: 403,
            type: 'permission_error',
            message: 'The payment belongs to another account.',
          },
        },
      },
    },
    steps: [
      create(),
      { ...get('/payments/{1}', '403 permission_error'), as: 'other' },
      { ...get('/payments/{1}', '403 permission_error'), as: 'live' },
      get('/payments/x', '404 not_found'),
    ],
  },
  {
    name: 'authentication: open accounts accept every test key',
    options: { accounts: 'open' },
    steps: [
      call({ 'x-api-key': 'service_test_mine' }, '200'),
      {
        ...call({ 'x-api-key': 'service_test_mine' }, '201', 'POST /payments'),
        body: { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'A' },
      },
      call({ 'x-api-key': 'service_test_yours' }, '200', 'GET /transactions'),
      call({ 'x-api-key': 'service_test_mine' }, '200', 'GET /transactions'),
      call({ 'x-api-key': 'service_test_' }),
      call({ 'x-api-key': 'service_live_mine' }),
      call({ 'x-api-key': `service_test_${'x'.repeat(256)}` }),
    ],
  },
];
