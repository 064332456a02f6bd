import { expect } from 'vitest';
import { isValidSignature } from '@service/webhooks';
import type { Clients } from './clients.ts';
import type { Create } from './command.ts';
import { modeOf, whos } from './stage.ts';
import { stateOf } from '../../../../test/support/snapshot-state.ts';

/** Waits for all timers and deliveries, and checks the final state with pages of the given size. */
export async function endAll(clients: Clients, perPage: number): Promise<void> {
  const { sandbox } = clients.mock;
  await sandbox.idle();
  sandbox.faults.clear();
  for (const name of ['A', 'B'] as const) sandbox.accounts.resume(clients.account(name));
  clients.check();
  await replayKeys(clients);
  await sandbox.idle();
  clients.check();
  await checkReads(clients, perPage);
  checkEvents(clients);
}

/** Repeats every create with a key and a payment three times, concurrently. */
async function replayKeys(clients: Clients): Promise<void> {
  const body = { from: 'USD', to: 'EUR', cents: 1, account: '' };
  for (const who of whos) {
    for (const key of [0, 1, 2].filter((each) => clients.era.made.has(`${who} key ${each}`))) {
      const replay: Create = { kind: 'create', who, ...body, key, pieces: [1], isStale: false };
      const answers = await Promise.all([1, 2, 3].map(() => clients.create(replay)));
      expect(answers.filter(({ status, isReplayed }) => status === 201 && isReplayed)).toHaveLength(3);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  }
}

/** Compares the responses of the service with the state of the sandbox. */
async function checkReads(clients: Clients, perPage: number): Promise<void> {
  const state = stateOf(clients.mock.sandbox.snapshot());
  for (const who of whos) {
    const accountState = state.accounts.find(({ name }) => who.startsWith(name))!.modes[modeOf(who)];
    const rows = accountState.transactions.length;
    const ids = await clients.walk(who, perPage);
    expect([new Set(ids).size, ids.length], 'each row comes once').toEqual([rows, rows]);
    const { text } = await clients.send({ who, method: 'GET', path: '/balance' });
    const last = new Map(
      accountState.transactions.map((row) => [row.currency, Number(row.balance_after) / 100]),
    );
    const balances = accountState.wallets
      .toSorted()
      .map((currency) => ({ currency, balance: last.get(currency) ?? 0 }));
    expect((JSON.parse(text) as { data: object }).data).toEqual({ balances });
  }
}

/** Checks that every received event has a valid signature, and that every acknowledged event was received. */
function checkEvents(clients: Clients): void {
  const { webhooks } = clients.mock.sandbox;
  for (const who of whos) {
    const mode = modeOf(who);
    const received = clients.received.get(who)!;
    for (const { body, signature } of received) {
      expect(isValidSignature(body, signature, clients.secrets.get(who)!)).toBe(true);
      expect((JSON.parse(body) as { data: object }).data).toMatchObject({ mode });
    }
    const bodies = new Set(received.map(({ body }) => body));
    const deliveries = webhooks.deliveries({ account: clients.account(who), mode });
    const acknowledged = deliveries.filter(({ state }) => state === 'acknowledged').map(({ body }) => body);
    expect(acknowledged.filter((body) => !bodies.has(body))).toEqual([]);
  }
}
