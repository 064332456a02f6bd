// What the stores need of their clients, and what they do if a client returns or is something else.
import { describe, expect, it, vi } from 'vitest';
import type { DedupeStore } from '@service/webhooks';
import { postgresMigration, postgresStore } from '@service/webhooks/postgres';
import { redisStore } from '@service/webhooks/redis';
import { events } from '@service/webhooks/testing';
import { rejectionOf, thrownBy } from '../samples.ts';

type Run = () => Promise<unknown>;

/** Sends the commands that expect a word. */
const sendCommands = (store: DedupeStore): readonly Promise<unknown>[] => [
  store.claim('a', 'one'),
  store.confirm('a', 'one'),
  store.renew!('a', 'one', 1),
  store.wait('a', new AbortController().signal),
];

/** The commands of each store over a client that runs a function. */
const stores: readonly (readonly [string, (run: Run) => readonly Promise<unknown>[]])[] = [
  [
    'postgresStore',
    (run) => {
      const client = { query: run as () => Promise<{ rows: readonly unknown[] }> };
      const store = postgresStore(client);
      const event = { kind: 'payment', source: 'webhook', ...events.completed() } as const;
      return [...sendCommands(store), store.claimIn(client, event)];
    },
  ],
  ['redisStore', (run) => sendCommands(redisStore({ sendCommand: run }))],
];

describe.each(stores)('%s', (name, send) => {
  it('fails if a command takes longer than 5 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const failing = send(() => new Promise(() => {})).map(rejectionOf);
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    // A table that could not be created has the cause.
    const messages = (await Promise.all(failing)).map((error) => String((error as Error).cause ?? error));
    expect(messages).toEqual(failing.map(() => 'Error: The store did not respond within 5000 ms.'));
  });

  const replies: Readonly<Record<string, readonly unknown[]>> = {
    postgresStore: [
      {},
      [{ state: 'confirmed' }],
      undefined,
      { rows: [{}] },
      { rows: [null] },
      { rows: [{ state: 'f' }] },
      { rows: [{ state: true }] },
      { rows: [{ state: ['confirmed'] }] },
    ],
    redisStore: [undefined, null, true, 1, 1n, 'OK', 'QUEUED', ['confirmed'], Buffer.from('OK')],
  };
  it.each(replies[name]!.map((reply) => [reply]))(
    'fails over a client that returns %o, and guesses nothing',
    async (reply) => {
      for (const failed of await Promise.all(send(async () => reply).map(rejectionOf)))
        expect(failed).toMatchObject({
          name: 'TypeError',
          message: expect.stringMatching(
            /^The store expects \w+(?: or \w+)+ from its client, which returned [^:]+\. Pass a /,
          ) as unknown,
        });
    },
  );
});

describe('the setup of a store', () => {
  const pool = { query: async () => ({ rows: [] }) };
  const client = { sendCommand: async () => null };
  const wrongClients = [null, undefined, {}, 'redis://', { set: () => {}, get: () => {}, eval: () => {} }];
  const wrongTables = ['', 'a b', 'a;drop table b', 'A', 'a.b.c', '"a"', 5, null];
  const wrongOptions = [
    { ttl: 0 },
    { ttl: Number.NaN },
    { lease: 4_000 },
    { ttl: '1' },
    { pollInterval: 50 },
    { commandTimeout: 5_000 },
    { expiry: 1 },
  ];

  it.each<[string, readonly unknown[], (wrong: never) => unknown]>([
    ['clients of Redis', wrongClients, redisStore],
    ['pools of Postgres', wrongClients, postgresStore],
    ['options of Redis', wrongOptions, (options) => redisStore(client, options)],
    ['tables', wrongTables, (table) => postgresStore(pool, { table })],
    ['tables of a migration', wrongTables, postgresMigration],
  ])('refuses other %s', (_, values, create) => {
    const codeOf = (value: unknown): unknown =>
      (thrownBy(() => create(value as never)) as { code?: unknown }).code;
    expect(values.map(codeOf)).toEqual(values.map(() => 'invalid_options'));
  });

  it('has a ttl of seven days by default', () => {
    expect([redisStore(client).ttl, postgresStore(pool).ttl]).toEqual([7 * 86_400_000, 7 * 86_400_000]);
  });
});
