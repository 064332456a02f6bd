import { createPayer, type IntentStore, memoryStore, type Payer } from '@service/sdk/payer';
import type { ClientOptions } from '@service/sdk';
import type { RequestFaultOptions } from '@service/mock';
import { assertMatch, type Case, type CaseContext, errorOf } from './case.ts';
import { createService, order, type Service } from './creates.ts';

interface PayerContext extends Service {
  readonly store: IntentStore;
  readonly payer: Payer;
  readonly openPayer: (options?: ClientOptions) => Payer;
}

/** A behavior of a payer over a new store. */
interface PayerCase {
  readonly name: string;
  readonly faults?: readonly RequestFaultOptions[];
  readonly run: (context: PayerContext) => Promise<void>;
}

const lost: RequestFaultOptions = { kind: 'reset_after_commit' };
const references = Array.from({ length: 12 }, (_, index) => `order-${index}`);

const payerCases: readonly PayerCase[] = [
  {
    name: 'one payment per reference',
    async run({ payer, created, posts }) {
      const { id } = await payer.pay('order-42', order);
      assertMatch(await payer.pay('order-42', order), { id });
      assertMatch([created(), posts()], [[id], 1]);
    },
  },
  {
    name: 'one payment for 20 concurrent calls',
    async run({ payer, posts }) {
      const paid = await Promise.all(Array.from({ length: 20 }, () => payer.pay('order-42', order)));
      assertMatch([new Set(paid.map(({ id }) => id)).size, posts()], [1, 1]);
    },
  },
  {
    name: 'a lost response is found by the next call',
    faults: [lost],
    async run({ payer, created, posts }) {
      assertMatch(await errorOf(payer.pay('order-42', order)), {
        name: 'PaymentOutcomeUnknownError',
        reference: 'order-42',
      });
      assertMatch(await payer.pay('order-42', order), { id: created()[0] });
      assertMatch([created().length, posts()], [1, 1]);
    },
  },
  {
    name: 'a lost request is never sent again',
    faults: [{ kind: 'reset_before_commit' }],
    async run({ payer, posts }) {
      for (let call = 0; call < 3; call++)
        assertMatch(await errorOf(payer.pay('order-42', order)), { outcome: 'unknown' });
      assertMatch(posts(), 1);
    },
  },
  {
    name: 'concurrent runs under faults send each reference once, and find every payment',
    faults: [
      { ...lost, times: 3 },
      { kind: 'html', status: 201, commit: true, times: 3 },
    ],
    async run({ payer, store, openPayer, created, posts }) {
      for (const reference of references) await payer.plan(reference, { ...order, purpose: reference });
      await Promise.all([runToEnd(payer), runToEnd(openPayer()), runToEnd(openPayer())]);
      await runToEnd(payer);
      assertMatch([created().length, posts()], [12, 12]);
      for (const reference of references) assertMatch(await store.read(reference), { state: 'created' });
    },
  },
];

async function runToEnd(payer: Payer): Promise<void> {
  for await (const { error } of payer.run()) void error;
}

const intentOf = (reference: string, version = 1): Parameters<IntentStore['swap']>[0] => ({
  reference,
  version,
  state: 'planned',
  digest: 'd',
  key: 'k',
  sends: [],
});

let writes = 0;
const write = (store: IntentStore, intent = intentOf('a')): ReturnType<IntentStore['swap']> =>
  store.swap(intent, { fromVersion: intent.version - 1, writeId: `w${writes++}` });

/** Behaviors of a store that a payer needs. */
const storeCases: readonly { name: string; run: (store: IntentStore) => Promise<void> }[] = [
  {
    name: 'returns an intent as it was written',
    async run(store) {
      const intent = { ...intentOf('a'), reason: 'é "quoted" \u{1f511}', body: '{}', unknown: { list: [1] } };
      assertMatch([await store.read('a'), await write(store, intent)], [undefined, 'done']);
      assertMatch(JSON.stringify(await store.read('a')), JSON.stringify(intent));
    },
  },
  {
    name: 'refuses a write from another version',
    async run(store) {
      const versions = [2, 1, 1, 2, 2];
      const results: string[] = [];
      for (const version of versions) results.push(await write(store, intentOf('a', version)));
      assertMatch(results, ['lost', 'done', 'lost', 'done', 'lost']);
    },
  },
  {
    name: 'lets one of 20 concurrent writes win',
    async run(store) {
      const results = await Promise.all(Array.from({ length: 20 }, () => write(store)));
      assertMatch(results.toSorted(), ['done', ...Array.from({ length: 19 }, () => 'lost')]);
    },
  },
  {
    name: 'gives a payment id to one reference',
    async run(store) {
      const paid = (reference: string) => ({ ...intentOf(reference), paymentId: 'pay_test_1' });
      assertMatch([await write(store, paid('a')), await write(store, paid('b'))], ['done', 'id_taken']);
    },
  },
  {
    name: 'lists references in code unit order',
    async run(store) {
      for (const reference of ['b', 'a', 'B', 'a-1', '~', '_']) await write(store, intentOf(reference));
      const listed: string[] = [];
      for (const { reference } of await store.list({})) listed.push(reference);
      assertMatch(listed, ['B', '_', 'a', 'a-1', 'b', '~']);
    },
  },
  {
    name: 'keeps its first account',
    async run(store) {
      const account = { mode: 'test', baseUrl: 'https://api.example.test/v1', label: 'a' } as const;
      await store.bindAccount(account);
      assertMatch(await store.bindAccount({ ...account, label: 'b' }), account);
    },
  },
];

interface OpenedStore {
  readonly store: IntentStore;
  readonly close: () => void;
}

/** Opens a store of SQLite in the folder of the process. */
async function openSqlite({ runtime }: CaseContext): Promise<OpenedStore> {
  const { sqliteStore } = await import('@service/sdk/payer/sqlite');
  const store = sqliteStore(`intents-${runtime}-${crypto.randomUUID()}.db`);
  return { store, close: store.close };
}

const stores: Readonly<Record<string, (context: CaseContext) => OpenedStore | Promise<OpenedStore>>> = {
  'in memory': () => ({ store: memoryStore(), close: () => {} }),
  'of SQLite': openSqlite,
};

/** Payers and their stores. */
export const payers: readonly Case[] = Object.entries(stores).flatMap(([title, open]) => [
  ...payerCases.map(({ name, faults, run }): Case => ({
    name: `a payer with a store ${title}: ${name}`,
    async run(context) {
      const service = createService(faults);
      const { store, close } = await open(context);
      const openPayer = (options?: ClientOptions): Payer => createPayer(service.connect(options), { store });
      await run({ ...service, store, openPayer, payer: openPayer() });
      close();
    },
  })),
  ...storeCases.map(({ name, run }): Case => ({
    name: `a store ${title}: ${name}`,
    async run(context) {
      const { store, close } = await open(context);
      await run(store);
      close();
    },
  })),
]);

/** The store of SQLite before Node 22.13. */
export const oldNode: Case = {
  name: 'a store of SQLite without node:sqlite: an error with the needed Node',
  async run(context) {
    assertMatch(await errorOf(openSqlite(context)), { message: /node:sqlite/ });
  },
};
