import { create, get, order, type Outcome, type Scenario, type Send, type Step } from './scenario.ts';

const MALFORMED = '400 invalid_request_error';
const INVALID = '422 validation_error';
const UNSUPPORTED = '415 unsupported_media_type';
const TOO_LARGE = '413 payload_too_large';
const validBody = JSON.stringify(order({ amount: 1 }));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (levels: number): string =>
  validBody.replace('{', `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},`);

const post = (body: unknown, expected: Outcome, headers: Send['headers'] = {}): Send => ({
  send: 'POST /payments',
  body,
  expected,
  headers,
});

const paths = ['/balance', '/transactions', '/quotes', '/payments', '/payments/x'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const isAllowed = (method: string, path: string): boolean =>
  (method === 'POST') === ['/quotes', '/payments'].includes(path);

/** Invalid requests in the order of the checks. */
const checksInOrder: Step[] = [
  // Each request fails one check and most later ones; the response is that of the first failed check.
  {
    send: 'POST /nothing',
    as: 'anonymous',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    expected: '401 authentication_error',
  },
  {
    send: 'POST /nothing',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    expected: '404 not_found',
  },
  {
    send: 'PUT /payments',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    expected: '405 method_not_allowed',
  },
  post('x'.repeat(70_000), UNSUPPORTED, { 'content-type': 'text/plain', 'idempotency-key': '' }),
  post('x'.repeat(70_000), TOO_LARGE, { 'idempotency-key': '' }),
  post('x', MALFORMED, { 'idempotency-key': '' }),
  post(order({ amount: -1 }), MALFORMED, { 'idempotency-key': '' }),
  post(order({ amount: -1e9 }), INVALID),
];

/** Requests (docs/contract.md#transport) and error responses (docs/contract.md#errors). */
export const transport: Scenario[] = [
  {
    name: 'HTTP: a body needs the type application/json and no compression',
    steps: [
      ...[
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data',
        'application/jsonp',
        'application/json;charset=latin1',
        'application/json; q=1',
        'application/problem+json',
        'json',
        '',
      ].map((type) => post(validBody, UNSUPPORTED, { 'content-type': type })),
      post(bytes(validBody), UNSUPPORTED, { 'content-type': null }),
      ...[
        'application/json',
        'Application/JSON; Charset=UTF-8',
        'application/json;charset="utf-8"',
        'APPLICATION/JSON',
      ].map((type) => post(validBody, '201', { 'content-type': type })),
      ...['gzip', 'br', 'gzip, identity', 'x'].map((encoding) =>
        post(validBody, UNSUPPORTED, { 'content-encoding': encoding }),
      ),
      post(validBody, '201', { 'content-encoding': 'Identity' }),
      post(validBody, '201', { accept: 'text/html', 'accept-encoding': 'identity', 'accept-language': 'de' }),
    ],
  },
  {
    name: 'HTTP: invalid JSON gets 400',
    steps: [
      ...[
        '',
        ' ',
        '{',
        '{"amount":1,}',
        "{'amount':1}",
        '\uFEFF{}',
        'null,',
        '{}{}',
        '<xml/>',
        '\u0000',
        '{"a":"\u0001"}',
        'undefined',
      ].map((body) => post(body, MALFORMED)),
      post(new Uint8Array([0x7b, 0xff, 0x7d]), MALFORMED),
      post(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), MALFORMED),
      { send: 'POST /payments', expected: MALFORMED, headers: { 'content-type': 'application/json' } },
    ],
  },
  {
    name: 'HTTP: JSON with wrong types gets 422',
    steps: [
      ...['null', '[]', '"x"', '5', 'true', '{}', '[{}]'].map((body) => post(body, INVALID)),
      post('{"__proto__":{"amount":1},"constructor":{"prototype":{"amount":1}},"toString":"USD"}', INVALID),
      post(validBody.replace('{', '{"__proto__":{"isAdmin":true},"constructor":1,"toString":null,'), '201'),
      post(
        '{"from_currency":"constructor","to_currency":"__proto__","amount":1,"beneficiary_name":"A"}',
        INVALID,
      ),
    ],
  },
  {
    name: 'HTTP: limits of size and depth of a body',
    steps: [
      post(validBody.padEnd(65_536), '201'),
      post(validBody.padEnd(65_537), TOO_LARGE),
      post('😀'.repeat(16_385), TOO_LARGE),
      { send: 'POST /quotes', body: ' '.repeat(200_000), expected: TOO_LARGE },
      post(nested(32), '201'),
      post(nested(33), MALFORMED),
      post(nested(20_000), MALFORMED),
      get('/balance'),
    ],
  },
  {
    name: 'HTTP: malformed bodies with a refusal of 422',
    options: {
      profile: {
        refusals: {
          malformed_body: { status: 422, type: 'validation_error' },
          malformed_key: { status: 400, type: 'invalid_request_error' },
        },
      },
    },
    steps: [
      post('{', INVALID),
      post('', INVALID),
      post(nested(40), INVALID),
      post(validBody, MALFORMED, { 'idempotency-key': '' }),
    ],
  },
  { name: 'HTTP: the order of checks', steps: checksInOrder },
  {
    name: 'HTTP: unknown paths get 404',
    steps: [
      '',
      '/',
      '/balance/',
      '//balance',
      '/payments//x',
      '/Balance',
      '/BALANCE',
      '/../../API/V1/balance',
      '/balance.json',
      '/balance/x',
      '/payments/x/y',
      '/quotes/',
      '/nothing',
      '/_sandbox',
      '/..%2fbalance',
      '/%62alance/',
      '/balance;a=b',
      '/%',
      '/é',
    ].map((path) => get(path, '404 not_found')),
  },
  {
    name: 'HTTP: normalized paths and ignored queries',
    steps: [
      get('/./balance'),
      get('/x/../balance'),
      get('/%2e/balance'),
      get('/balance?'),
      get('/balance?page=0&per_page=lots&x=%00'),
      get('/balance#there'),
    ],
  },
  {
    name: 'HTTP: methods of other operations get 405 or 204',
    steps: [
      ...paths.flatMap((path) =>
        methods
          .filter((method) => !isAllowed(method, path))
          .map((method): Send => ({ send: `${method} ${path}`, expected: '405 method_not_allowed' })),
      ),
      ...paths.map((path): Send => ({ send: `OPTIONS ${path}`, expected: '204', as: 'anonymous' })),
      { send: 'OPTIONS /nothing', expected: '404 not_found', as: 'anonymous' },
      { send: 'OPTIONS /balance/', expected: '404 not_found' },
      { send: 'POST /balance', body: order(), expected: '405 method_not_allowed' },
    ],
  },
  {
    name: 'HTTP: HEAD responds like GET without a body',
    steps: [
      create({ amount: 1 }),
      ...['/balance', '/transactions?per_page=1', '/payments/{1}'].map((path): Send => ({
        send: `HEAD ${path}`,
        expected: '200',
      })),
      ...['/payments/x', '/nothing'].map((path): Send => ({ send: `HEAD ${path}`, expected: '404' })),
      { send: 'HEAD /transactions?per_page=0', expected: '422' },
      { send: 'HEAD /payments', expected: '405' },
    ],
  },
  {
    name: 'HTTP: a method in lower case',
    steps: ['get', 'head', 'options'].map((method): Send => ({
      send: `${method} /balance`,
      expected: method === 'options' ? '204' : '200',
    })),
  },
  {
    name: 'HTTP: unknown methods get 405',
    steps: ['BREW', 'PaTCH', 'GETS'].map((method): Send => ({
      send: `${method} /balance`,
      expected: '405 method_not_allowed',
    })),
  },
  {
    name: 'HTTP: requests beyond the rate limit get 429',
    steps: [
      { act: (mock) => mock.sandbox.profile.set({ rateLimit: { requests: 3, window: '30s' } }) },
      get('/balance'),
      // An unknown path counts toward the rate limit, and is not refused.
      get('/nothing', '404 not_found'),
      { send: 'HEAD /balance', expected: '200' },
      get('/balance', '429 rate_limit_error'),
      create({}, '429 rate_limit_error'),
      { send: 'PUT /balance', expected: '429 rate_limit_error' },
      { send: 'HEAD /balance', expected: '429' },
      { send: 'OPTIONS /balance', expected: '204' },
      { ...get('/balance'), as: 'live' },
      { ...get('/balance'), as: 'other' },
      get('/nothing', '404 not_found'),
      { act: (mock) => mock.sandbox.clock.advance('29500ms') },
      get('/balance', '429 rate_limit_error'),
      { act: (mock) => mock.sandbox.clock.advance('500ms') },
      get('/balance'),
    ],
  },
  {
    name: 'HTTP: responses of a deprecated service',
    options: {
      profile: {
        headers: {
          all: {
            Deprecation: '@1767225600',
            Sunset: 'Fri, 01 Jan 2027 00:00:00 GMT',
            Link: '</deprecation>; rel="deprecation"',
          },
        },
      },
    },
    steps: [
      get('/balance'),
      create(),
      get('/nothing', '404 not_found'),
      { ...get('/balance', '401 authentication_error'), as: 'anonymous' },
    ],
  },
  ...Object.entries({
    bare: { message: '{message}' },
    html: '<!doctype html><title>{status}</title><p>{message}</p>',
    text: '{status} {type}',
  }).map(([name, body]): Scenario => ({
    name: `HTTP: the body of refusals ${name}`,
    options: { profile: { refusals: { all: { body } } } },
    steps: [
      create({ amount: -1, beneficiary_name: '<b>&' }, '422'),
      get('/nothing', '404'),
      { ...get('/balance', '401'), as: 'anonymous' },
      { send: 'HEAD /nothing', expected: '404' },
      { send: 'PUT /balance', expected: '405' },
    ],
  })),
];

/** Similar paths that a profile redirects. */
export const redirects: Scenario = {
  name: 'HTTP: similar paths redirect with paths redirect',
  options: { profile: { paths: 'redirect' } },
  steps: ['/balance/', '//balance?x=1', '/Balance'].map((path) => get(path, '308')),
};

const page = 'https://app.example';
const requests: Send[] = [
  get('/balance'),
  create(),
  get('/nothing', '404 not_found'),
  { send: 'OPTIONS /payments', expected: '204' },
  { ...get('/balance', '401 authentication_error'), as: 'anonymous' },
];
const from = (origin: string): Step[] =>
  requests.map((call) => ({ ...call, headers: { ...call.headers, origin } }));

/** CORS requests. */
export const origins: Scenario[] = [
  {
    name: 'HTTP: CORS',
    steps: [page, 'http://localhost:5173', 'null', `${page}.evil.example`].flatMap(from),
  },
];
