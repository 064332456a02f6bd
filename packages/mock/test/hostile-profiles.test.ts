import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions, type ProfileChoice } from '@service/mock';
import { keepData } from '@service/mock/node';
import { computeChecksum } from '../src/state/snapshot.ts';
import { partsOf, serveControl } from './control-support.ts';
import {
  type Answered,
  type Caller,
  createPlainCaller,
  createStillMock,
  order,
  type Seen,
} from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// Profiles that would end the process, or send what HTTP does not allow.

const folder = mkdtempSync(join(tmpdir(), 'service-mock-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A client whose responses are like those of the checked one. */
function callPlainly(mock: Mock): Pick<Caller, 'get' | 'post'> {
  const { ask } = createPlainCaller(mock);
  const answer = ({ json: body, ...rest }: Seen): Answered => ({ ...rest, body });
  return {
    get: async (path) => answer(await ask('GET', path)),
    post: async (path, body) => answer(await ask('POST', path, body)),
  };
}

function open(options: MockOptions): { mock: Mock } & Pick<Caller, 'get' | 'post'> {
  const { mock } = createStillMock(options);
  return { mock, ...callPlainly(mock) };
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
  it('is rejected if HTTP or the sandbox decides on it', async () => {
    const { ask, mock, get } = await serveControl();
    for (const [place, create] of places) {
      for (const [name, text] of unsendable) {
        const settings = create({ [name]: text });
        expect(() => createMock({ profile: asProfile(settings) })).toThrow(place);
      }
      const answered = await ask('PATCH', '/profile', { body: { settings: create({ 'x-a': 'a\r\nb' }) } });
      expect([place, answered.status]).toEqual([place, 400]);
      expect(answered.body.error.message).toContain(place);
    }
    for (const name of ['Host', 'authorization', 'Cookie', 'Expect', 'x-service-signature'])
      expect(() => createMock({ profile: { headers: { event: { [name]: 'x' } } } })).toThrow('headers.event');
    expect(mock.sandbox.profile.get()).toEqual(createMock().sandbox.profile.get());
    expect((await get('/balance')).status).toBe(200);
  });

  it('can have any other name and visible text', () => {
    const headers = JSON.parse(
      JSON.stringify({ "!#$%&'*+-.^_`|~09azAZ": 'a\tb c', constructor: '~!', 'x-empty': '' }).replace(
        '{',
        '{"__proto__":"x",',
      ),
    ) as object;
    for (const [, create] of places)
      expect(() => createMock({ profile: asProfile(create(headers)) })).not.toThrow();
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
});

describe('a text with the characters that mark values of a response', () => {
  it('is data in every response', async () => {
    const profile = {
      beside: { all: { meta: { id: '{request_id}' } } },
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
  it('that nests lists, is too large or has an unknown form is rejected', async () => {
    const { ask, mock } = await serveControl();
    const nested = 'must not be inside another';
    const rejected: [settings: object, message: string][] = [
      [{ pagination: { data: ['{each rows}', ['{each rows}', '{row}']] } }, nested],
      [{ pagination: { data: ['{each rows}', { a: [['{each rows}', '{row}']] }] } }, nested],
      [{ balanceShape: { '{each wallets}': { '{each wallets}': 1 } } }, nested],
      [{ errorShape: { body: { '{each fields}': ['{each issues}', '{issue}'] } } }, nested],
      [{ refusals: { validation: { body: ['{each issues}', ['{each fields}', 'x']] } } }, nested],
      [{ pagination: { data: ['{each rows}', 'x'.repeat(50_100)] } }, 'would be larger than 5 MB'],
      [{ pagination: { data: { '{each rows}': { a: 'x'.repeat(50_100) } } } }, 'would be larger than 5 MB'],
      [{ beside: { all: { a: 'x'.repeat(5_000_001) } } }, 'would be larger than 5 MB'],
      ...[
        'send_amount digits=999999999',
        'send_amount fraction=999999999',
        'created_at digits=100',
        'created_at zone=+99:99',
        'created_at plus=soon',
        'created_at plus=999999999d',
      ].map((a): [object, string] => [{ paymentShape: { a: `{${a}}` } }, 'has an unknown form']),
    ];
    for (const [settings, message] of rejected) {
      expect(() => mock.sandbox.profile.set(asProfile(settings))).toThrow(message);
      const { status } = await ask('PATCH', '/profile', { body: { settings } });
      expect(status).toBe(JSON.stringify(settings).length > 65_000 ? 413 : 400);
    }
  });

  it('has the zones of the world and no others', async () => {
    for (const zone of ['+99:99', '+14:01', '-12:30', '-13:00', '+05:60', '+5:00', '+0560', '05:00', 'UTC']) {
      expect(() => createMock({ profile: { timestamps: { digits: 0, zone } } })).toThrow('timestamps.zone');
      expect(() => createMock({ profile: { paymentShape: { at: `{created_at zone=${zone}}` } } })).toThrow(
        'form',
      );
    }
    for (const zone of ['Z', '+14:00', '-12:00', '+0530', '+05:45', '-09:30', '+00:00']) {
      const { post } = open({ profile: { timestamps: { digits: 0, zone } } });
      const { created_at } = (await post('/payments', order())).body.data;
      expect(String(created_at).slice(19)).toBe(zone);
    }
  });

  it('that repeats rows answers 500 before it is larger than 5 MB, and the next request is served', async () => {
    const row = { a: Array.from({ length: 5_000 }, () => '{reference}') };
    const profile = {
      texts: { limit: 10_000 },
      transactionShape: [{ of: 'any', row }],
      pagination: { data: ['{each rows}', Array.from({ length: 5_000 }, () => '{row}')] },
    } as const;
    const { mock, ask } = await serveControl({ profile });
    const { get, post } = callPlainly(mock);
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
    { beside: { all: { a: Array.from({ length: 6_000 }, () => '{target}') } } },
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
    const all = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, never>;
    const { mock } = createStillMock({ profile: { beside: { all } } });
    const response = await mock.fetch(`${mock.baseUrl}/balance`, {
      headers: { 'x-api-key': mock.account.testKey },
    });
    expect(await response.text()).toMatch(/"__proto__":\{"a":1\},"constructor":2/);
  });
});

describe('a stored profile', () => {
  const hostile = {
    headers: { all: { 'x-evil': 'a\r\nb' } },
    timestamps: { digits: 0, zone: '+99:99' },
    feeMode: 'none',
  };
  const reasons = ['headers.all.x-evil', 'timestamps.zone', 'has no field "feeMode"'];

  it('of a snapshot is refused with its settings, and changes nothing', async () => {
    const snapshot = createMock({ seed: 1 }).sandbox.snapshot();
    const state = stateOf(snapshot);
    const changed = { ...state, profiles: state.profiles.map((each) => ({ ...each, ...hostile })) };
    const mock = createMock({ seed: 2, clock: 'manual' });
    const before = await mock.sandbox.stateHash();
    for (const reason of reasons)
      expect(() =>
        mock.sandbox.restore({ ...snapshot, state: changed, checksum: computeChecksum(changed) }),
      ).toThrow(reason);
    expect(await mock.sandbox.stateHash()).toBe(before);
  });

  it('of a data file is refused with its settings', async () => {
    const path = join(folder, 'hostile.data');
    const before = createMock({ seed: 1 });
    const file = await keepData(before, path);
    const { state } = partsOf(before);
    state.profile = { ...state.profile, ...hostile };
    state.changes.recordSettings();
    await file.close();
    for (const reason of reasons) await expect(keepData(createMock(), path)).rejects.toThrow(reason);
  });
});
