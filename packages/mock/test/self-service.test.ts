import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { controlOperations } from '../src/control/http/handler.ts';
import { takesQuery } from '../src/control/http/read-input.ts';
import type { Operation } from '../src/control/operation.ts';
import { isSelfService } from '../src/control/http/access.ts';
import type { Schema } from '../../../scripts/control-types.ts';
import { toJson } from '../../../scripts/json-schema.ts';
import { runs } from '../../../test/support/runs.ts';
import { type Ask, createAsk, partsOf, serveControl } from './control-support.ts';
import { createCaller, createStillMock, order } from './support.ts';
import { stateOf } from '../../../test/support/snapshot-state.ts';

// The API key of an account, in place of the token of the control API.

const token = 'a-token-of-the-test-0123';
const [ownKey, otherKey] = ['service_test_own', 'service_test_other'];
const asOwner = { 'x-api-key': ownKey };
const asOperator = { authorization: `Bearer ${token}` };

/** An account with a payment, a delivery, an endpoint, a fault, a rate limit, and a logged request. */
async function fill(mock: Mock, key: string) {
  const { sandbox } = mock;
  const { id, name, testKey, liveKey } = sandbox.accounts.find({ key });
  const purpose = `purpose-of-${key.slice(-5)}`;
  const url = `http://localhost:9/${purpose}`;
  const { secret } = sandbox.webhooks.setEndpoint({ account: id, url });
  const { body } = await createCaller(mock, key).post('/payments', order({ purpose }), {
    'idempotency-key': `retry-${purpose}`,
  });
  await sandbox.idle();
  sandbox.profile.set({ rateLimit: { requests: 1000, window: '1h' } }, id);
  const fault = sandbox.faults.inject({
    kind: 'status',
    status: 500,
    account: id,
    operation: 'createQuote',
  }).id;
  const payment = String(body.data.id);
  const [delivery] = sandbox.webhooks.deliveries({ account: id });
  const [request] = sandbox.requests.list({ account: id });
  const ids = { account: id, payment, delivery: delivery!.id, request: request!.id, fault };
  return { ids, key, texts: [...Object.values(ids), name, testKey, liveKey, secret, purpose] };
}

/** A mock with self-service, with two accounts of jobs. */
async function serveShared() {
  const shared = await serveControl(
    { accounts: 'open', seed: 'the-seed-of-the-mock', fetch: async () => new Response() },
    { control: { token, selfService: true } },
  );
  const { mock } = shared;
  const own = await fill(mock, ownKey);
  const other = await fill(mock, otherKey);
  return { ...shared, own, other };
}

/** Everything of a mock except one account. */
function readOthers(mock: Mock, account: string): string {
  const { baseline } = partsOf(mock);
  const { sandbox } = mock;
  const isOther = (each: { account: string | null }) => each.account !== account;
  const others = sandbox.accounts.list().filter(({ id }) => id !== account);
  return JSON.stringify([
    others,
    others.map(({ id }) => ({
      ...stateOf(sandbox.snapshot()).accounts.find((each) => each.id === id),
      collected: sandbox.webhooks.collected({ account: id }),
    })),
    sandbox.requests.list().filter(isOther),
    sandbox.faults.list().filter(isOther),
    sandbox.profile.get(),
    sandbox.clock.now(),
    baseline,
  ]);
}

/** Returns values of a field: those of both accounts, and one of the schema. */
function listValues(name: string, schema: Schema, ids: Record<string, string>[]): readonly unknown[] {
  const named = ids.flatMap((each) => each[name] ?? []);
  if (named.length > 0) return named;
  if (name === 'url') return ['http://localhost:9/changed'];
  if (name === 'timeout') return ['1ms'];
  if (name === 'state') return [{ accounts: [] }];
  if (schema.enum !== undefined) return schema.enum;
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((each) => listValues(name, each, []));
  if (schema.examples !== undefined) return schema.examples;
  const samples: Record<string, unknown> = { integer: 1, number: 1, boolean: true, array: [], object: {} };
  return [samples[String(schema.type)] ?? 'text'];
}

type Fields = Record<string, unknown>;

/** Sends the fields of an operation, with the key of one account. */
function askWith(ask: Ask, operation: Operation, fields: Fields, headers: object = asOwner) {
  const rest = { ...fields };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (rest[name] ?? 'none') as string;
    delete rest[name];
    return encodeURIComponent(value);
  });
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (!takesQuery(operation))
    return ask(operation.method, path, { body: Object.fromEntries(given), headers: { ...headers } });
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return ask(operation.method, given.length === 0 ? path : `${path}?${query}`, { headers: { ...headers } });
}

const find = (id: string): Operation => controlOperations.find((each) => each.id === id)!;
const allowed = controlOperations.filter((operation) => isSelfService(operation));
const restricted = controlOperations.filter((operation) => !isSelfService(operation) && !operation.isOpen);

describe('the API key of an account', () => {
  it('runs the operations on the account', () => {
    expect(restricted.map(({ id }) => id)).toEqual([
      'getDocument',
      'waitUntilIdle',
      'takeSnapshot',
      'restoreSnapshot',
      'reset',
      'setBaseline',
      'getClock',
      'advanceClock',
      'setClock',
      'createAccount',
      'listAccounts',
      'getChanges',
    ]);
  });

  it('is not enough for the others', async () => {
    const { ask, mock, own } = await serveShared();
    const before = await mock.sandbox.stateHash();
    const seed = { by: 1000, time: '2030-01-01T00:00:00Z', accounts: [{ name: 'only' }] };
    for (const operation of restricted) {
      const fields = Object.keys(operation.input.fields).flatMap((name) =>
        name in seed ? [[name, seed[name as keyof typeof seed]] as const] : [],
      );
      const message = expect.stringContaining(`${operation.id} is about the whole sandbox`) as string;
      expect(await askWith(ask, operation, Object.fromEntries(fields))).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden', message } },
      });
    }
    expect(await mock.sandbox.stateHash()).toBe(before);
    expect(own.ids.account).not.toBe(mock.account.id);
  });

  it.each(allowed.map(({ id }) => id))('neither reads nor changes another account with %s', async (id) => {
    const operation = find(id);
    const { ask, mock, own, other } = await serveShared();
    const { receive: _, ...all } = operation.input.fields;
    const fields = Object.entries(all).map(([name, schema]) => {
      const values = listValues(name, toJson(schema), [own.ids, other.ids]);
      const value = name === 'key' ? fc.constantFrom(ownKey, otherKey) : fc.constantFrom(...values);
      return [name, schema.inner !== undefined ? fc.option(value, { nil: undefined }) : value] as const;
    });
    const inputs: fc.Arbitrary<Fields> = fc.record(Object.fromEntries(fields));
    const before = readOthers(mock, own.ids.account);
    const secrets = [...other.texts, mock.account.id, mock.account.testKey, 'the-seed-of-the-mock'];
    const check = async (given: Fields): Promise<void> => {
      const { status, body } = await askWith(ask, operation, given);
      expect(status).toBeLessThan(500);
      // A message can repeat a value of the request.
      const sent = JSON.stringify(given);
      const text = JSON.stringify(body ?? '');
      expect(secrets.filter((each) => text.includes(each) && !sent.includes(each))).toEqual([]);
    };
    await fc.assert(fc.asyncProperty(inputs, check), { numRuns: runs(12) });
    expect(readOthers(mock, own.ids.account)).toBe(before);
  });

  it('selects its own account by default, and not the first one', async () => {
    const { ask, mock, own } = await serveShared();
    await ask('POST', '/wallets/set', { body: { currency: 'CHF', amount: 7 }, headers: asOwner });
    const { wallets } = (await ask('GET', `/wallets?account=${own.ids.account}`, { headers: asOperator }))
      .body;
    expect(wallets).toContainEqual({ currency: 'CHF', balance: '7', available: '7', reserved: '0' });
    expect(JSON.stringify(stateOf(mock.sandbox.snapshot()).accounts[0])).not.toContain('CHF');
  });

  it('is rejected with a wrong token, as Basic, and if it opens no account', async () => {
    const { ask } = await serveShared();
    for (const headers of [
      { authorization: `Bearer ${token}x`, 'x-api-key': ownKey },
      { 'x-api-key': 'service_live_unknown' },
      { 'x-api-key': '' },
      { authorization: `Basic ${btoa(ownKey)}` },
      {},
    ]) {
      const { status, body } = await ask('GET', '/wallets', { headers });
      expect([headers, status]).toEqual([headers, 401]);
      expect(body.error.message).toContain('API key of an account');
      expect(JSON.stringify(body)).not.toMatch(/service_(?:test_own|live_unknown)/);
    }
  });
});

describe('the token of a control API with self-service', () => {
  it('controls everything, also together with a key', async () => {
    const { ask, mock } = await serveShared();
    const headers = { ...asOperator, ...asOwner };
    expect((await ask('GET', '/accounts', { headers })).body.accounts).toHaveLength(3);
    expect((await ask('POST', '/reset', { headers })).status).toBe(204);
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });

  it('is necessary without self-service, as for every operation', async () => {
    const { mock } = createStillMock({ accounts: 'open' });
    await using server = await listen(mock, { port: 0, control: { token } });
    const ask = createAsk(server.port);
    expect((await ask('GET', '/snapshot', { headers: asOwner })).status).toBe(401);
    expect((await ask('GET', '/snapshot', { headers: asOperator })).status).toBe(200);
    expect(mock.sandbox.accounts.list()).toHaveLength(1);
  });
});
