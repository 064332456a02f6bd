import { create, get, type Scenario, type Send, type Step } from './scenario.ts';

const STRANGER = '401 authentication_error';

const call = (
  headers: Send['headers'],
  gives: Send['gives'] = STRANGER,
  send: Send['send'] = 'GET /balance',
): Send => ({
  send,
  as: 'nobody',
  gives,
  ...(headers && { headers }),
});

const everywhere: Send['send'][] = [
  'GET /balance',
  'HEAD /balance',
  'GET /transactions',
  'GET /payments/x',
  'POST /payments',
  'POST /quotes',
  'DELETE /balance',
  'GET /nothing',
];

/** Replaces a key of the mock's own account. */
const regenerate = (mode: 'test' | 'live'): Step => ({
  act: (mock) => mock.sandbox.accounts.regenerateKey({ mode }),
});

/** Who is let in, and what they are told (contract.md 1 and 6, spec §5). */
export const access: Scenario[] = [
  {
    name: 'access: without a key there is nothing, not even a path',
    steps: everywhere.map((send) => call({}, send.startsWith('HEAD') ? '401' : STRANGER, send)),
  },
  {
    name: 'access: keys that are none',
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
    name: 'access: a key beyond ASCII',
    steps: [call({ authorization: 'Bearer é' }), call({ 'x-api-key': 'é' })],
  },
  {
    name: 'access: either header, in any spelling',
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
    name: 'access: two keys',
    steps: [
      call({ 'x-api-key': '{liveKey}', authorization: 'Bearer {testKey}' }),
      call({ 'x-api-key': '{testKey}', authorization: 'Basic dTpw' }),
      call({ 'x-api-key': '{testKey}', authorization: 'Bearer ' }),
      call({ 'x-api-key': '', authorization: 'Bearer {testKey}' }),
    ],
  },
  ...(['bearer', 'apiKey'] as const).map((bothKeys): Scenario => ({
    name: `access: two keys under ${bothKeys}, and what a stranger is told of a mode`,
    options: { profile: { bothKeys, modeOn401: bothKeys === 'bearer' ? 'guess' : 'null' } },
    steps: [
      call({ 'x-api-key': '{liveKey}', authorization: 'Bearer {testKey}' }, '200'),
      call({ 'x-api-key': 'service_live_nobody' }),
      call({ authorization: 'Bearer service_test_nobody' }),
    ],
  })),
  {
    name: 'access: a key in the query is none',
    steps: [
      call({}, STRANGER, 'GET /balance?api_key={testKey}'),
      call({}, STRANGER, 'GET /balance?authorization=Bearer%20{testKey}'),
      get('/balance?api_key={liveKey}&anything=else'),
    ],
  },
  {
    name: 'access: a key that was replaced is dead at once, and the new one sees the same',
    steps: [
      create(),
      regenerate('test'),
      { ...get('/balance', STRANGER), as: 'replaced' },
      { ...create({}, STRANGER), as: 'replaced' },
      get('/payments/{1}'),
      get('/transactions'),
      { ...get('/balance'), as: 'live' },
      regenerate('live'),
      { ...get('/balance'), as: 'live' },
      get('/balance'),
    ],
  },
  {
    name: 'access: a key that is replaced during a create, whose answer it still is',
    events: true,
    steps: [
      {
        ...create({ beneficiary_account: 'SIM-HOOK-FIRST' }),
        meanwhile: [regenerate('test'), { ...get('/balance', STRANGER), as: 'replaced' }, get('/balance')],
      },
      get('/payments/{1}'),
      get('/transactions'),
    ],
  },
  {
    name: 'access: the mode is that of the key, on errors too',
    steps: (['test', 'live', 'other'] as const).flatMap((as): Step[] => [
      { ...get('/balance'), as },
      { ...get('/nothing', '404 not_found'), as },
      { ...create({ amount: -1 }, '422 validation_error'), as },
      { send: 'PUT /balance', gives: '405 method_not_allowed', as },
    ]),
  },
  {
    name: 'access: a suspended account',
    steps: [
      { act: (mock) => mock.sandbox.accounts.suspend() },
      ...(['test', 'live'] as const).map((as): Send => ({ ...get('/balance', '403 permission_error'), as })),
      create({}, '403 permission_error'),
      get('/nothing', '403 permission_error'),
      { ...get('/balance'), as: 'other' },
      { send: 'OPTIONS /balance', gives: '204' },
      { act: (mock) => mock.sandbox.accounts.resume() },
      get('/balance'),
    ],
  },
  {
    name: 'access: somebody else has the payment, where that is told',
    options: { profile: { foreignPayment: 'permission_error' } },
    steps: [
      create(),
      { ...get('/payments/{1}', '403 permission_error'), as: 'other' },
      { ...get('/payments/{1}', '403 permission_error'), as: 'live' },
      get('/payments/x', '404 not_found'),
    ],
  },
  {
    name: 'access: open to everybody with a test key of their own',
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
