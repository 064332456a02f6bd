import { expect, it } from 'vitest';
import type { Intent, IntentFilter, IntentStore, SwapResult } from '../../src/entries/payer.ts';

/** Tests the behavior that every intent store must have. `open` returns a store over an empty table. */
export function describeIntentStore(open: () => IntentStore | Promise<IntentStore>): void {
  it('returns every field of an intent as written, unknown ones included', async () => {
    const store = await open();
    const whole = {
      ...intentOf('a'),
      sends: ['2026-01-31T12:00:00.000Z'],
      beneficiary: { name: 'f0', account: 'f1' },
      paymentId: 'pay_test_1',
      reason: 'é "quoted" \u{1f511}',
      holder: { worker: 'w.1', until: '2026-01-31T12:05:00.000Z' },
      body: '{"amount":"100.00"}',
      changedAt: '2026-01-31T12:00:00.000Z',
      unknown: { list: [1, null] },
    };
    await write(store, whole);
    expect(await store.read('a')).toEqual(whole);
  });

  it('removes fields that the next version of an intent does not have', async () => {
    const store = await open();
    await write(store, { ...intentOf('a'), reason: 'r', holder: { worker: 'w', until: 'u' } });
    await write(store, intentOf('a', 2));
    expect(await store.read('a')).toEqual(intentOf('a', 2));
  });

  it('responds lost to a write from another version', async () => {
    const store = await open();
    expect(await write(store, intentOf('a', 2))).toBe('lost');
    expect(await write(store, intentOf('a'))).toBe('done');
    expect(await write(store, intentOf('a'))).toBe('lost');
    expect(await write(store, intentOf('a', 2))).toBe('done');
    expect(await write(store, intentOf('a', 2))).toBe('lost');
    expect(await store.read('a')).toEqual(intentOf('a', 2));
  });

  it('responds done again only to the same write, and changes nothing', async () => {
    const store = await open();
    expect(await write(store, intentOf('a'), 'w1')).toBe('done');
    expect(await write(store, intentOf('a'), 'w1')).toBe('done');
    expect(await write(store, intentOf('a'), 'w2')).toBe('lost');
    expect(await write(store, intentOf('a', 2), 'w3')).toBe('done');
    expect(await write(store, intentOf('a'), 'w1')).toBe('lost');
    expect(await store.read('a')).toEqual(intentOf('a', 2));
  });

  it('lets one of 50 concurrent writes win', async () => {
    const store = await open();
    const compete = async (version: number): Promise<void> => {
      const results = await Promise.all(
        Array.from({ length: 50 }, () => write(store, intentOf('a', version))),
      );
      expect(results.toSorted()).toEqual(['done', ...Array.from({ length: 49 }, () => 'lost')]);
    };
    await compete(1);
    await compete(2);
  });

  it('gives a payment id to one reference', async () => {
    const store = await open();
    const paid = (reference: string, version = 1): Intent => ({
      ...intentOf(reference, version),
      state: 'created',
      paymentId: 'pay_test_1',
    });
    expect(await write(store, paid('a'))).toBe('done');
    expect(await write(store, paid('b'))).toBe('id_taken');
    expect(await store.read('b')).toBeUndefined();
    await write(store, intentOf('b'));
    expect(await write(store, paid('b', 2))).toBe('id_taken');
    expect(await store.read('b')).toEqual(intentOf('b'));
    expect(await write(store, paid('a', 2))).toBe('done');
    expect(await write(store, intentOf('a', 3))).toBe('done');
    expect(await write(store, paid('b', 2))).toBe('done');
  });

  it('gives a payment id to one of 20 concurrent references', async () => {
    const store = await open();
    const paid = Array.from({ length: 20 }, (_, index) => ({
      ...intentOf(`ref-${index}`),
      state: 'created' as const,
      paymentId: 'pay_test_1',
    }));
    const results = await Promise.all(paid.map((intent) => write(store, intent)));
    expect(results.toSorted()).toEqual(['done', ...Array.from({ length: 19 }, () => 'id_taken')]);
  });

  it('lists intents by state, payment id and reference, in code unit order', async () => {
    const store = await open();
    for (const reference of ['b', 'a', 'B', 'a-1', 'a1', '~', '_']) await write(store, intentOf(reference));
    await write(store, { ...intentOf('b', 2), state: 'created', paymentId: 'pay_test_b' });
    await write(store, { ...intentOf('B', 2), state: 'unknown', paymentId: 'pay_test_B' });
    const list = async (filter: IntentFilter): Promise<string[]> =>
      (await store.list(filter)).map(({ reference }) => reference);
    expect(await list({})).toEqual(['B', '_', 'a', 'a-1', 'a1', 'b', '~']);
    expect(await list({ states: ['created', 'unknown'] })).toEqual(['B', 'b']);
    expect(await list({ paymentIds: ['pay_test_B', 'pay_test_b', 'pay_test_c'] })).toEqual(['B', 'b']);
    expect(await list({ paymentIds: [] })).toEqual([]);
    expect(await list({ states: ['created'], paymentIds: ['pay_test_B'] })).toEqual([]);
  });

  it('lists the intents with conflicts', async () => {
    const store = await open();
    const conflicts = [{ paymentId: 'pay_test_2', at: '2026-01-31T12:00:00.000Z', problem: 'p' }];
    await write(store, intentOf('a'));
    for (const reference of ['b', 'c']) await write(store, { ...intentOf(reference), conflicts });
    await write(store, intentOf('c', 2));
    expect(await store.list({ hasConflicts: true })).toEqual([{ ...intentOf('b'), conflicts }]);
  });

  it('lists while its intents are written', async () => {
    const store = await open();
    for (const reference of ['a', 'b', 'c']) await write(store, intentOf(reference));
    const listed: string[] = [];
    for (const { reference } of await store.list({})) {
      listed.push(reference);
      await write(store, intentOf(reference, 2));
    }
    expect(listed).toEqual(['a', 'b', 'c']);
  });
}

/** Tests a list of many intents. */
export function describeLongList(open: () => IntentStore | Promise<IntentStore>): void {
  it('lists many intents', async () => {
    const store = await open();
    const references = Array.from({ length: 1_200 }, (_, index) => `ref-${String(index).padStart(4, '0')}`);
    await Promise.all(references.map((reference) => write(store, intentOf(reference))));
    expect((await store.list({})).map(({ reference }) => reference)).toEqual(references);
  });
}

/** Tests the behavior that a store of `createPayer` must have in addition to that of every intent store. */
export function describeBoundStore(open: () => IntentStore | Promise<IntentStore>): void {
  const account = { mode: 'test', baseUrl: 'https://api.example.test/api/v1', label: 'a' } as const;

  it('records the first account and returns it at every call', async () => {
    const store = await open();
    expect(await store.bindAccount?.(account)).toEqual(account);
    expect(await store.bindAccount?.({ ...account, mode: 'live' })).toEqual(account);
    expect(await store.bindAccount?.({ ...account, label: 'b' })).toEqual(account);
  });

  it('lets one of 20 concurrent accounts win', async () => {
    const store = await open();
    const labels = Array.from({ length: 20 }, (_, index) => `label ${index}`);
    const bound = await Promise.all(labels.map(async (label) => store.bindAccount?.({ ...account, label })));
    expect(new Set(bound.map((one) => one?.label)).size).toBe(1);
  });
}

/** Creates a planned intent. */
export function intentOf(reference: string, version = 1): Intent {
  return { reference, version, state: 'planned', digest: 'd', key: 'k', sends: [] };
}

/** Writes an intent over the version before it. */
function write(
  store: IntentStore,
  intent: Intent,
  writeId: string = crypto.randomUUID(),
): Promise<SwapResult> {
  return store.swap(intent, { fromVersion: intent.version - 1, writeId });
}
