import { create, get, order, type Outcome, type Scenario, type Send, type Step } from './scenario.ts';

const MALFORMED = '400 invalid_request_error';
const REFUSED = '422 validation_error';
const MEDIA = '415 unsupported_media_type';
const LARGE = '413 payload_too_large';
const whole = JSON.stringify(order({ amount: 1 }));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const nested = (levels: number): string =>
  whole.replace('{', `{"deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},`);

const post = (body: unknown, gives: Outcome, headers: Send['headers'] = {}): Send => ({
  send: 'POST /payments',
  body,
  gives,
  headers,
});

const paths = ['/balance', '/transactions', '/quotes', '/payments', '/payments/x'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const isAllowed = (method: string, path: string): boolean =>
  (method === 'POST') === ['/quotes', '/payments'].includes(path);

/** The limits of requests, in the order in which a call meets them. */
const ordered: Step[] = [
  // Each call breaks all rules from one on: the first that counts says so.
  {
    send: 'POST /nothing',
    as: 'nobody',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    gives: '401 authentication_error',
  },
  {
    send: 'POST /nothing',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    gives: '404 not_found',
  },
  {
    send: 'PUT /payments',
    body: 'x'.repeat(70_000),
    headers: { 'content-type': 'text/plain' },
    gives: '405 method_not_allowed',
  },
  post('x'.repeat(70_000), MEDIA, { 'content-type': 'text/plain', 'idempotency-key': '' }),
  post('x'.repeat(70_000), LARGE, { 'idempotency-key': '' }),
  post('x', MALFORMED, { 'idempotency-key': '' }),
  post(order({ amount: -1 }), MALFORMED, { 'idempotency-key': '' }),
  post(order({ amount: -1e9 }), REFUSED),
];

/** What a request has to look like, and the form of every answer (contract.md 1 and 6). */
export const transport: Scenario[] = [
  {
    name: 'transport: media types',
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
      ].map((type) => post(whole, MEDIA, { 'content-type': type })),
      post(bytes(whole), MEDIA, { 'content-type': null }),
      ...[
        'application/json',
        'Application/JSON; Charset=UTF-8',
        'application/json;charset="utf-8"',
        'APPLICATION/JSON',
      ].map((type) => post(whole, '201', { 'content-type': type })),
      ...['gzip', 'br', 'gzip, identity', 'x'].map((encoding) =>
        post(whole, MEDIA, { 'content-encoding': encoding }),
      ),
      post(whole, '201', { 'content-encoding': 'Identity' }),
      post(whole, '201', { accept: 'text/html', 'accept-encoding': 'identity', 'accept-language': 'de' }),
    ],
  },
  {
    name: 'transport: bodies that are no JSON',
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
      { send: 'POST /payments', gives: MALFORMED, headers: { 'content-type': 'application/json' } },
    ],
  },
  {
    name: 'transport: JSON that is no order',
    steps: [
      ...['null', '[]', '"x"', '5', 'true', '{}', '[{}]'].map((body) => post(body, REFUSED)),
      post('{"__proto__":{"amount":1},"constructor":{"prototype":{"amount":1}},"toString":"USD"}', REFUSED),
      post(whole.replace('{', '{"__proto__":{"isAdmin":true},"constructor":1,"toString":null,'), '201'),
      post(
        '{"from_currency":"constructor","to_currency":"__proto__","amount":1,"beneficiary_name":"A"}',
        REFUSED,
      ),
    ],
  },
  {
    name: 'transport: bodies at their limits',
    steps: [
      post(whole.padEnd(65_536), '201'),
      post(whole.padEnd(65_537), LARGE),
      post('😀'.repeat(16_385), LARGE),
      { send: 'POST /quotes', body: ' '.repeat(200_000), gives: LARGE },
      post(nested(32), '201'),
      post(nested(33), MALFORMED),
      post(nested(20_000), MALFORMED),
      get('/balance'),
    ],
  },
  {
    name: 'transport: what is malformed is invalid, where it is so',
    options: { profile: { malformedBody: 422 } },
    steps: [
      post('{', REFUSED),
      post('', REFUSED),
      post(nested(40), REFUSED),
      post(whole, MALFORMED, { 'idempotency-key': '' }),
    ],
  },
  { name: 'transport: the order in which rules are looked at', steps: ordered },
  {
    name: 'transport: paths that are none',
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
    name: 'transport: paths that only look like others',
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
    name: 'transport: methods',
    steps: [
      ...paths.flatMap((path) =>
        methods
          .filter((method) => !isAllowed(method, path))
          .map((method): Send => ({ send: `${method} ${path}`, gives: '405 method_not_allowed' })),
      ),
      ...paths.map((path): Send => ({ send: `OPTIONS ${path}`, gives: '204', as: 'nobody' })),
      { send: 'OPTIONS /nothing', gives: '404 not_found', as: 'nobody' },
      { send: 'OPTIONS /balance/', gives: '404 not_found' },
      { send: 'POST /balance', body: order(), gives: '405 method_not_allowed' },
    ],
  },
  {
    name: 'transport: HEAD answers as GET, without the body',
    steps: [
      create({ amount: 1 }),
      ...['/balance', '/transactions?per_page=1', '/payments/{1}'].map((path): Send => ({
        send: `HEAD ${path}`,
        gives: '200',
      })),
      ...['/payments/x', '/nothing'].map((path): Send => ({ send: `HEAD ${path}`, gives: '404' })),
      { send: 'HEAD /transactions?per_page=0', gives: '422' },
      { send: 'HEAD /payments', gives: '405' },
    ],
  },
  {
    name: 'transport: a method in lower case',
    steps: ['get', 'head', 'options'].map((method): Send => ({
      send: `${method} /balance`,
      gives: method === 'options' ? '204' : '200',
    })),
  },
  {
    name: 'transport: methods that HTTP does not know',
    steps: ['BREW', 'PaTCH', 'GETS'].map((method): Send => ({
      send: `${method} /balance`,
      gives: '405 method_not_allowed',
    })),
  },
  {
    name: 'transport: too many calls',
    steps: [
      { act: (mock) => mock.sandbox.rateLimit.set({ requests: 2, window: '30s' }) },
      get('/balance'),
      // A path that is none is told before calls are counted.
      get('/nothing', '404 not_found'),
      { send: 'HEAD /balance', gives: '200' },
      get('/balance', '429 rate_limit_error'),
      create({}, '429 rate_limit_error'),
      { send: 'PUT /balance', gives: '429 rate_limit_error' },
      { send: 'HEAD /balance', gives: '429' },
      { send: 'OPTIONS /balance', gives: '204' },
      { ...get('/balance'), as: 'live' },
      { ...get('/balance'), as: 'other' },
      get('/nothing', '404 not_found'),
      { act: (mock) => mock.sandbox.clock.advance('29500ms') },
      get('/balance', '429 rate_limit_error'),
      { act: (mock) => mock.sandbox.clock.advance('500ms') },
      get('/balance'),
    ],
  },
  ...(['ietf', 'none'] as const).map((rateLimitHeaders): Scenario => ({
    name: `transport: too many calls, with the headers ${rateLimitHeaders}`,
    options: { profile: { rateLimitHeaders } },
    steps: [
      { act: (mock) => mock.sandbox.rateLimit.set({ requests: 0, window: '30s' }) },
      get('/balance', '429 rate_limit_error'),
    ],
  })),
  {
    name: 'transport: a service that shows its age',
    options: {
      profile: { deprecation: { deprecated: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' } },
    },
    steps: [
      get('/balance'),
      create(),
      get('/nothing', '404 not_found'),
      { ...get('/balance', '401 authentication_error'), as: 'nobody' },
    ],
  },
  ...(['extra', 'bare', 'html'] as const).map((errorShape): Scenario => ({
    name: `transport: errors of the shape ${errorShape}`,
    options: { profile: { errorShape } },
    steps: [
      create({ amount: -1, beneficiary_name: '<b>&' }, '422'),
      get('/nothing', '404'),
      { ...get('/balance', '401'), as: 'nobody' },
      { send: 'HEAD /nothing', gives: '404' },
      { send: 'PUT /balance', gives: '405' },
    ],
  })),
];

/** Near paths that a profile redirects. */
export const redirects: Scenario = {
  name: 'transport: paths that are redirected',
  options: { profile: { paths: 'redirect' } },
  steps: ['/balance/', '//balance?x=1', '/Balance'].map((path) => get(path, '308')),
};

const page = 'https://app.example';
const asked: Send[] = [
  get('/balance'),
  create(),
  get('/nothing', '404 not_found'),
  { send: 'OPTIONS /payments', gives: '204' },
  { ...get('/balance', '401 authentication_error'), as: 'nobody' },
];
const from = (origin: string): Step[] =>
  asked.map((call) => ({ ...call, headers: { ...call.headers, origin } }));

/** Calls from pages of other origins. */
export const origins: Scenario[] = (['*', 'loopback', [page], 'off'] as const).map((cors) => ({
  name: `transport: pages of other origins, with cors ${JSON.stringify(cors)}`,
  options: { cors },
  steps: [page, 'http://localhost:5173', 'null', `${page}.evil.example`].flatMap(from),
}));
