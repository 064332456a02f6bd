import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMock, type Mock, type MockOptions, type ProfileChoice } from '@service/mock';
import { keepData } from '@service/mock/node';
import { computeChecksum } from '../src/state/snapshot.ts';
import { partsOf, serveControl } from './control-support.ts';
import { type Answered, type Caller, createStillMock, type Envelope, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// Profiles that would end the process, or send what HTTP does not allow.

const folder = mkdtempSync(join(tmpdir(), 'service-mock-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A client that does not compare responses with the document: these profiles differ from it. */
function createPlainCaller(mock: Mock): Pick<Caller, 'get' | 'post'> {
  const send = async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await mock.fetch(`${mock.baseUrl}${path}`, {
      method,
      headers: { ...json, 'x-api-key': mock.account.testKey },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Envelope };
  };
  return { get: (path) => send('GET', path), post: (path, body) => send('POST', path, body) };
}

function open(options: MockOptions): { mock: Mock } & Pick<Caller, 'get' | 'post'> {
  const { mock } = createStillMock(options);
  return { mock, ...createPlainCaller(mock) };
}

const json = { 'content-type': 'application/json' };
const asProfile = (value: unknown): ProfileChoice => value as ProfileChoice;

/** The settings with headers: the profile with one header, and its place. */
const places: [place: string, create: (headers: object) => object][] = [
  ['headers.all', (headers) => ({ headers: { all: headers } })],
  ['headers.createPayment', (headers) => ({ headers: { createPayment: headers } })],
  ['headers.replayPayment', (headers) => ({ headers: { replayPayment: headers } })],
  ['errorShape.headers', (headers) => ({ errorShape: { headers } })],
  ['refusals.authentication.headers', (headers) => ({ refusals: { authentication: { headers } } })],
  ['refusals.amount_zero.headers', (headers) => ({ refusals: { amount_zero: { headers } } })],
  ['pagination.headers', (headers) => ({ pagination: { data: ['{each rows}', '{row}'], headers } })],
  ['headers.event', (headers) => ({ headers: { event: headers } })],
];

const unsendable: [name: string, text: string][] = [
  ...['', ' ', 'a b', 'a:b', 'a\r\nb', 'é', 'a\u0000', '日本', '(a)', 'a/b'].map((name): [string, string] => [
    name,
    'x',
  ]),
  ...['a\r\nb', 'a\nSet-Cookie: b=c', '\u0000', '\u007f', 'é', '日本', '\u200b', ' a', 'a ', '\ta'].map(
    (text): [string, string] => ['x-a', text],
  ),
  ...[
    'Connection',
    'keep-alive',
    'Content-Length',
    'content-encoding',
    'Transfer-Encoding',
    'TE',
    'trailer',
    'upgrade',
    'Proxy-Authenticate',
    'Set-Cookie',
    'Access-Control-Allow-Origin',
    'access-control-expose-headers',
  ].map((name): [string, string] => [name, '1']),
];

describe('a header of a profile', () => {
  it.each(places)('in %s is rejected if HTTP or the sandbox decides on it', async (place, create) => {
    const { ask, mock, get } = await serveControl();
    const refused: [string, string][] =
      place === 'eventHeaders'
        ? ['Host', 'authorization', 'Cookie', 'Expect', 'x-service-signature'].map((name) => [name, 'x'])
        : [];
    for (const [name, text] of [...unsendable, ...refused]) {
      const settings = create({ [name]: text });
      const answered = await ask('PATCH', '/profile', { body: { settings } });
      expect([name, text, answered.status]).toEqual([name, text, 400]);
      expect(answered.body.error.message).toContain(place);
      expect(() => createMock({ profile: asProfile(settings) })).toThrow(place);
    }
    expect(mock.sandbox.profile.get()).toEqual(createMock().sandbox.profile.get());
    expect((await get('/balance')).status).toBe(200);
  });

  it.each(places)('in %s can have any other name and visible text', (_, create) => {
    for (const [name, text] of [
      ["!#$%&'*+-.^_`|~09azAZ", 'a\tb c'],
      ['__proto__', 'x'],
      ['constructor', '~!'],
      ['x-empty', ''],
    ] as const)
      expect(() =>
        createMock({
          profile: asProfile(
            create(JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(text)}}`) as object),
          ),
        }),
      ).not.toThrow();
  });

  it('has values that a header cannot hold in percent encoding, over every transport', async () => {
    const profile = {
      headers: { createPayment: { 'X-Purpose': '{purpose}', Link: '<{purpose}>; rel="x"' } },
      refusals: { currency_form: { headers: { 'X-Value': '{value}' } } },
    };
    const { mock, post, server } = await serveControl({ profile });
    const overHttp = (path: string, body: object): Promise<Response> =>
      fetch(`${server.baseUrl}${path}`, {
        method: 'POST',
        headers: { ...json, 'x-api-key': mock.account.testKey },
        body: JSON.stringify(body),
      });
    for (const purpose of [
      '日本語 100%',
      'é',
      'a\u200bb',
      'Miete 50%',
      '😀',
      '\uE000now\uE001plus=x\uE000',
    ]) {
      const answers = [
        await post('/payments', order({ purpose })),
        await overHttp('/payments', order({ purpose })),
      ];
      const isPlain = /^[ -~]*$/.test(purpose);
      for (const { status, headers } of answers) {
        expect(status).toBe(201);
        const shown = headers.get('x-purpose') ?? '';
        expect(isPlain ? shown : decodeURIComponent(shown)).toBe(purpose);
        expect(headers.get('link')).toBe(`<${shown}>; rel="x"`);
      }
    }
    for (const from_currency of ['a\r\nSet-Cookie: b=c', '\uD800', '\u0000']) {
      const answers = [
        await post('/payments', order({ from_currency })),
        await overHttp('/payments', order({ from_currency })),
      ];
      for (const { status, headers } of answers) {
        expect([status, headers.get('set-cookie')]).toEqual([422, null]);
        expect(headers.get('x-value')).toMatch(/^[!-~ ]+$/);
      }
    }
  });

  it('in webhooks has values in percent encoding', async () => {
    const { mock, post } = createStillMock({
      profile: {
        eventHeaders: { 'X-Status': '{status}', 'content-type': 'application/json; charset=utf-8' },
      },
    });
    mock.sandbox.webhooks.collect();
    mock.sandbox.profile.set({ extraStatuses: [{ status: 'in_review', after: 'pending' }] });
    await post('/payments', order());
    await mock.sandbox.clock.advance('1h');
    const events = mock.sandbox.webhooks.collected();
    expect(events.length).toBeGreaterThan(3);
    for (const { headers } of events)
      expect(Object.keys(headers)).toEqual(
        ['Content-Type', 'User-Agent', 'X-Status', 'X-Service-Signature'].toSorted(
          (a, b) => Object.keys(headers).indexOf(a) - Object.keys(headers).indexOf(b),
        ),
      );
  });

  it('that links to the deprecation notice cannot end it', () => {
    const dates = { deprecated: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' };
    for (const link of ['/a\r\nb', 'é', '/a b', '/a>', ''])
      expect(() => createMock({ profile: { deprecation: { ...dates, link } } })).toThrow('deprecation');
  });
});

describe('a text with the characters that mark values of a response', () => {
  it('is data in every response', async () => {
    const profile = {
      envelope: { meta: { id: '{request_id}' } },
      headers: { all: { 'X-Id': '"{request_id}"' } },
      refusals: {
        validation: { body: { error: '{value}', at: '{now}', fields: { '{each fields}': '{value}' } } },
      },
    } as const;
    const { post } = open({ profile });
    for (const text of ['\uE000now\uE001plus=x\uE000', '\uE000request_id\uE000', '\uE000', '\uE001']) {
      const made = await post('/payments', order({ purpose: text }));
      expect(made.body.data).toMatchObject({ purpose: text });
      expect(made.headers.get('x-id')).toMatch(/^"req_\d+"$/);
      const refused = await post('/payments', order({ from_currency: text, [text]: 1 }));
      expect(refused.body).toMatchObject({ error: text });
    }
  });
});

describe('a template of a profile', () => {
  it.each([
    [
      { pagination: { data: ['{each rows}', ['{each rows}', '{row}']] } },
      '{each rows} must not be inside another',
    ],
    [
      { pagination: { data: ['{each rows}', { a: [['{each rows}', '{row}']] }] } },
      'must not be inside another',
    ],
    [
      { balanceShape: { '{each wallets}': { '{each wallets}': 1 } } },
      '{each wallets} must not be inside another',
    ],
    [{ balanceShape: { a: ['{each wallets}', { '{each wallets}': 1 }] } }, 'must not be inside another'],
    [
      { errorShape: { body: { '{each fields}': ['{each issues}', '{issue}'] } } },
      '{each issues} must not be inside another',
    ],
    [
      { refusals: { validation: { body: ['{each issues}', ['{each fields}', 'x']] } } },
      'must not be inside another',
    ],
    [{ pagination: { data: ['{each rows}', 'x'.repeat(50_100)] } }, 'would be larger than 5 MB'],
    [{ pagination: { data: { '{each rows}': { a: 'x'.repeat(50_100) } } } }, 'would be larger than 5 MB'],
    [{ envelope: { a: 'x'.repeat(5_000_001) } }, 'would be larger than 5 MB'],
    [{ paymentShape: { a: '{send_amount digits=999999999}' } }, 'has an unknown form'],
    [{ paymentShape: { a: '{send_amount fraction=999999999}' } }, 'has an unknown form'],
    [{ paymentShape: { a: '{created_at digits=100}' } }, 'has an unknown form'],
    [{ paymentShape: { a: '{created_at zone=+99:99}' } }, 'has an unknown form'],
    [{ paymentShape: { a: '{created_at plus=soon}' } }, 'has an unknown form'],
    [{ paymentShape: { a: '{created_at plus=999999999d}' } }, 'has an unknown form'],
    [{ envelope: { a: '{now plus=x}' } }, 'has an unknown form'],
  ])('%j is rejected', async (settings, message) => {
    const { ask, mock } = await serveControl();
    expect(() => mock.sandbox.profile.set(asProfile(settings))).toThrow(message);
    const { status } = await ask('PATCH', '/profile', { body: { settings } });
    expect(status).toBe(JSON.stringify(settings).length > 65_000 ? 413 : 400);
  });

  it.each(['+99:99', '+14:01', '-12:30', '-13:00', '+05:60', '+5:00', '+0560', '05:00', 'UTC'])(
    'with the zone %s is rejected',
    (zone) => {
      expect(() => createMock({ profile: { timestamps: { digits: 0, zone } } })).toThrow('timestamps.zone');
      expect(() => createMock({ profile: { paymentShape: { at: `{created_at zone=${zone}}` } } })).toThrow(
        'form',
      );
    },
  );

  it.each(['Z', '+14:00', '-12:00', '+0530', '+05:45', '-09:30', '+00:00'])(
    'has the zone %s',
    async (zone) => {
      const { post } = open({ profile: { timestamps: { digits: 0, zone } } });
      expect((await post('/payments', order())).body.data.created_at).toMatch(
        new RegExp(`\\d${zone.replace('+', '\\+')}$`),
      );
    },
  );

  it('that repeats rows answers 500 before it is larger than 5 MB, and the next request is served', async () => {
    const row = { a: Array.from({ length: 5_000 }, () => '{reference}') };
    const profile = {
      texts: { limit: 10_000 },
      transactionShape: [{ of: 'any', row }],
      pagination: { data: ['{each rows}', Array.from({ length: 5_000 }, () => '{row}')] },
    } as const;
    const { mock, ask } = await serveControl({ profile });
    const { get, post } = createPlainCaller(mock);
    for (let count = 0; count < 20; count += 1)
      await post('/payments', order({ amount: 1, purpose: 'é'.repeat(9_000) }));
    const before = process.memoryUsage().heapUsed;
    const refused = await get('/transactions?per_page=100');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 2 ** 20);
    expect(refused).toMatchObject({
      status: 500,
      body: {
        success: false,
        error: { type: 'server_error', message: expect.stringContaining('more than 5 MB') },
      },
    });
    expect((await get('/balance')).status).toBe(200);
    expect(
      (
        await ask('PATCH', '/profile', {
          body: { settings: { pagination: 'page', transactionShape: 'full' } },
        })
      ).status,
    ).toBe(200);
    expect((await get('/transactions')).status).toBe(200);
    await mock.close();
  });

  it.each([
    { envelope: { a: Array.from({ length: 6_000 }, () => '{target}') } },
    { headers: { all: { 'x-a': '{target}'.repeat(6_000) } } },
  ])('that repeats the target of a request answers 500', async (profile) => {
    const { get } = open({ profile });
    const { status, body } = await get(`/balance?${'x'.repeat(2_000)}`);
    expect([status, body.error.message]).toEqual([500, expect.stringContaining('more than 5 MB')]);
  });

  it('that repeats details of each of thousands of problems answers 500', async () => {
    const issues = {
      unknown_field: Array.from({ length: 1_000 }, () => ({ field: '{field}', value: '{value}' })),
    };
    const { get, post } = open({
      profile: {
        requestBody: { unknownFields: 'reject' },
        issues,
        refusals: { validation: { body: ['{each issues}', '{issue}'] } },
      },
    });
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]));
    expect((await post('/payments', order(fields))).status).toBe(500);
    expect((await get('/balance')).status).toBe(200);
  });

  it('whose event is too large keeps the payment, and says so', async () => {
    const defects: unknown[] = [];
    const { mock, post, get } = open({
      onDefect: (error) => defects.push(error),
      profile: {
        texts: { limit: 10_000 },
        eventShape: { a: Array.from({ length: 5_000 }, () => '{purpose}') },
      },
    });
    mock.sandbox.webhooks.collect();
    const { status, body } = await post('/payments', order({ purpose: 'x'.repeat(9_000) }));
    await mock.sandbox.clock.advance('1h');
    expect([status, (await get(`/payments/${String(body.data.id)}`)).body.data.status]).toEqual([
      201,
      'completed',
    ]);
    expect(mock.sandbox.webhooks.collected()).toEqual([]);
    expect(defects).toHaveLength(3);
    expect(String(defects[0])).toContain('more than 5 MB');
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])('adds the status %s', async (status) => {
    const { mock, post, get } = createStillMock({
      profile: { extraStatuses: [{ status, after: 'pending' }] },
    });
    mock.sandbox.webhooks.collect();
    const { body } = await post('/payments', order());
    await mock.sandbox.clock.advance('1h');
    expect((await get(`/payments/${String(body.data.id)}`)).body.data.status).toBe('completed');
    expect(mock.sandbox.webhooks.collected().map(({ event }) => event)).toContain(`payment.${status}`);
  });

  it('keeps the name __proto__', async () => {
    const envelope = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, never>;
    const { mock } = createStillMock({ profile: { envelope } });
    const response = await mock.fetch(`${mock.baseUrl}/balance`, {
      headers: { 'x-api-key': mock.account.testKey },
    });
    expect(await response.text()).toMatch(/"__proto__":\{"a":1\},"constructor":2/);
  });
});

describe('a stored profile', () => {
  const hostile = {
    headers: { all: { 'x-evil': 'a\r\nb', 'x-good': 'yes' }, createQuote: { 'a b': 'c' } },
    refusals: { authentication: { status: 403, headers: { 'Set-Cookie': 'a=b' } } },
    eventHeaders: { Host: 'x' },
    pagination: { data: ['{each rows}', ['{each rows}', '{row}']] },
    timestamps: { digits: 0, zone: '+99:99' },
  };
  const dropped = [
    'headers.all.x-evil',
    'headers.createQuote.a b',
    'refusals.authentication.headers.Set-Cookie',
    'headers.event.Host',
    'pagination',
    'timestamps',
  ];

  /** Returns the notices of a restored mock before and after a reset, and what its responses show. */
  async function observe(mock: Mock, defects: unknown[]): Promise<unknown> {
    const [notice] = defects.map(String);
    const key = { 'x-api-key': mock.account.testKey };
    const { status, headers } = await mock.fetch(`${mock.baseUrl}/transactions`, { headers: key });
    const refused = await mock.fetch(`${mock.baseUrl}/balance`);
    mock.sandbox.reset();
    const shown = [status, headers.get('x-good'), headers.get('x-evil'), refused.status];
    return { missing: dropped.filter((name) => !notice?.includes(name)), shown, notices: defects.length };
  }
  const repaired = { missing: [], shown: [200, 'yes', null, 403], notices: 1 };

  it('of a snapshot is restored without what is refused, and says so', async () => {
    const snapshot = createMock({ seed: 1 }).sandbox.snapshot();
    const state = stateOf(snapshot);
    const changed = { ...state, profiles: state.profiles.map((each) => ({ ...each, ...hostile })) };
    const defects: unknown[] = [];
    const mock = createMock({ seed: 1, onDefect: (error) => defects.push(error) });
    mock.sandbox.restore({ ...snapshot, state: changed, checksum: computeChecksum(changed) });
    mock.sandbox.baseline();
    expect(await observe(mock, defects)).toEqual(repaired);
  });

  it('of a data file is restored without what is refused, and says so', async () => {
    const path = join(folder, 'hostile.data');
    const before = createMock({ seed: 1 });
    const file = await keepData(before, path);
    const { state } = partsOf(before);
    state.profile = { ...state.profile, ...hostile };
    for (const account of state.accounts.values()) {
      account.byMode.test.profile = account.byMode.live.profile = state.profile;
      state.durability.recorder?.recordSettings(account.id);
    }
    state.durability.recorder?.recordSettings();
    await file.close();
    const defects: unknown[] = [];
    const mock = createMock({ seed: 1, onDefect: (error) => defects.push(error) });
    const restored = await keepData(mock, path);
    onTestFinished(() => restored.close());
    expect(await observe(mock, defects)).toEqual(repaired);
  });
});
