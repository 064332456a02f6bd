import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCreate } from '../src/domain/create.ts';
import { bookDeposit, type Entry, ledgerAccounts } from '../src/domain/ledger.ts';
import { moves } from '../src/domain/plan.ts';
import { addAccount, createWorld, movePayment, transact, type World } from '../src/world/world.ts';
import { balanceOf, type Books, commit } from '../src/world/books.ts';
import { createClock } from '../src/world/clock.ts';

// The double entry behind the service (contract.md 9), over random histories of creates and moves.

const currencies = ['USD', 'EUR', 'JPY'] as const;
const currency = fc.constantFrom(...currencies);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    from: currency,
    to: currency,
    amount: fc.bigInt({ min: 1n, max: 40_000n }),
  }),
  fc.record({ kind: fc.constant('move' as const), nth: fc.nat(10), move: fc.constantFrom(...moves) }),
);

function open(): { world: World; books: Books } {
  const clock = createClock('manual', 0);
  const world = createWorld({ clock, seed: 'x', minorUnits: 'two', announce: async () => {} });
  const books = addAccount(world, 'a').books.test;
  const entries = currencies.map((code) => bookDeposit(code, 100_000n, 0));
  transact(world, books, { decide: () => ({ change: { entries } }) });
  return { world, books };
}

function run(
  { world, books }: ReturnType<typeof open>,
  steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
): void {
  for (const next of steps) {
    if (next.kind === 'create') {
      const order = {
        from_currency: next.from,
        to_currency: next.to,
        send_amount: next.amount,
        beneficiary: { name: 'A', bank: null, account: 'SIM-PENDING', country: null },
        purpose: null,
      };
      transact(world, books, { decide: (slice) => decideCreate(order, slice) });
    } else {
      const id = [...books.payments.keys()][next.nth];
      if (id !== undefined) movePayment(world, books, { id, move: next.move });
    }
  }
}

const total = (amounts: bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

describe('the ledger of a world', () => {
  it('balances every entry, and agrees with its payments, after any history', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const opened = open();
        run(opened, steps);
        const { books } = opened;
        const payments = [...books.payments.values()];
        const completed = payments.filter(({ status }) => status === 'completed');
        for (const code of currencies) {
          for (const { postings } of books.entries) {
            expect(
              total(postings.filter((posting) => posting.currency === code).map(({ amount }) => amount)),
            ).toBe(0n);
          }
          const on = (account: (typeof ledgerAccounts)[number]): bigint => balanceOf(books, account, code);
          const underWay = payments.filter(({ status }) => status === 'pending' || status === 'processing');
          const sent = (list: typeof payments): bigint =>
            total(list.filter((each) => each.from_currency === code).map((each) => each.send_amount));
          expect(on('in_flight')).toBe(sent(underWay));
          expect(on('fees')).toBe(
            total(completed.filter((each) => each.from_currency === code).map(({ fee }) => fee)),
          );
          expect(on('paid_out')).toBe(
            total(completed.filter((each) => each.to_currency === code).map((each) => each.receive_amount)),
          );
          expect(on('wallet')).toBe(100_000n - sent(underWay) - sent(completed));
          expect(on('wallet')).toBeGreaterThanOrEqual(0n);
          expect(total(ledgerAccounts.map(on))).toBe(0n);
        }
      }),
      { numRuns: 300 },
    );
  });

  const posting = (account: 'wallet' | 'funding', amount: bigint): Entry['postings'][number] => ({
    account,
    currency: 'USD',
    amount,
  });

  it.each<[title: string, postings: Entry['postings'], message: string]>([
    ['does not balance', [posting('wallet', 1n)], 'unbalanced entry: deposit'],
    [
      'overdraws a wallet',
      [posting('wallet', -100_001n), posting('funding', 100_001n)],
      'overdrawn wallet: deposit',
    ],
  ])('refuses to commit an entry that %s, and changes nothing', (_, postings, message) => {
    const { books } = open();
    const before = structuredClone(books);
    const entries: Entry[] = [{ kind: 'deposit', at: 0, payment_id: null, postings }];
    expect(() => commit(books, { entries, opens: 'CHF' })).toThrow(message);
    expect(books).toEqual(before);
  });
});
