import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMock, type ProfileChoice } from '@service/mock';
import { keepData } from '@service/mock/node';
import { computeChecksum } from '../src/state/snapshot.ts';
import { partsOf, serveControl } from './control-support.ts';
import { createPlainCaller, openProfile } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// Profiles that would end the process, or send what HTTP does not allow.

const folder = mkdtempSync(join(tmpdir(), 'service-mock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const asProfile = (value: unknown): ProfileChoice => value as ProfileChoice;

/** The settings with headers: the profile with one header, and its place. */
const places: [place: string, create: (headers: object) => object][] = [
  ['headers.all', (headers) => ({ headers: { all: headers } })],
  ['headers.createPayment', (headers) => ({ headers: { createPayment: headers } })],
  ['headers.replayPayment', (headers) => ({ headers: { replayPayment: headers } })],
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
});

describe('a text with placeholders', () => {
  it('is data in every response', async () => {
    const row = { memo: '{purpose}', to: 'To {beneficiary_name}' };
    const profile = { rows: { debit: [row] }, refusals: { validation: { body: { error: '{message}' } } } };
    const { get, pay } = openProfile(profile);
    for (const text of ['{amount}', '{{id}', '{rows}', '$&', '{']) {
      const made = await pay({ purpose: text, beneficiary_name: text });
      expect(made.json.data).toMatchObject({ purpose: text });
      const { data } = (await get('/transactions?per_page=1')).json;
      expect(data.transactions).toEqual([{ memo: text, to: `To ${text}` }]);
      const refused = await pay({ from_currency: text });
      expect(refused.json).toEqual({ error: expect.stringContaining('from_currency must be') });
    }
  });
});

describe('an example of a profile', () => {
  it('has the zones of the world and no others', async () => {
    for (const zone of ['+99:99', '+14:01', '-12:30', '-13:00', '+05:60', '+5:00', '+0560', '05:00', 'UTC'])
      expect(() => createMock({ profile: { timestamps: { digits: 0, zone } } })).toThrow('timestamps.zone');
    for (const zone of ['Z', '+14:00', '-12:00', '+0530', '+05:45', '-09:30', '+00:00']) {
      const { pay } = openProfile({ timestamps: { digits: 0, zone } });
      const { created_at } = (await pay()).json.data;
      expect(String(created_at).slice(19)).toBe(zone);
    }
    const { get, pay } = openProfile({ timestamps: 'compactOffset' });
    const times = [(await pay()).json.data, (await get('/transactions')).json.data.transactions[0]];
    for (const { created_at } of times) expect(created_at).toBe('2026-01-31T12:00:00+0000');
  });

  it('that repeats texts answers 500 before it is larger than 5 MB, and the next request is served', async () => {
    const row = { a: Array.from({ length: 1_000 }, () => '{purpose}'), b: '{purpose}'.repeat(500) };
    const profile = { texts: { limit: 10_000 }, rows: { debit: [row] } };
    const { mock, ask } = await serveControl({ profile });
    const { get, pay } = createPlainCaller(mock);
    for (let count = 0; count < 20; count += 1) await pay({ amount: 1, purpose: 'é'.repeat(9_000) });
    const before = process.memoryUsage().heapUsed;
    const refused = await get('/transactions?per_page=100');
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 2 ** 20);
    expect(refused).toMatchObject({
      status: 500,
      json: {
        success: false,
        error: { type: 'server_error', message: expect.stringContaining('more than 5 MB') },
      },
    });
    expect((await get('/balance')).status).toBe(200);
    expect((await ask('PATCH', '/profile', { body: { settings: { rows: 'full' } } })).status).toBe(200);
    expect((await get('/transactions')).status).toBe(200);
    await mock.close();
  });

  it('keeps the name __proto__', async () => {
    const row = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, never>;
    const { get } = openProfile({ rows: { deposit: [row] } });
    expect((await get('/transactions')).text).toMatch(/"__proto__":\{"a":1\},"constructor":2/);
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
