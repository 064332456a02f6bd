import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCreate } from '../src/domain/decision.ts';
import { drawId } from '../src/domain/ids.ts';
import {
  depositEntry,
  type Entry,
  ledgerAccounts,
  paymentEntries,
  reservedBy,
} from '../src/domain/ledger.ts';
import { isOpen, transitions as transitionNames } from '../src/domain/payment.ts';
import { applyChoice, defaultProfile } from '../src/domain/profile.ts';
import { settings } from '../src/domain/settings.ts';
import { fee } from './fee-rules.ts';
import {
  type AccountState,
  applyChange,
  availableOf,
  balanceOf,
  beginChange,
  commit,
  type State,
  transitionPayment,
} from '../src/state/state.ts';
import { openState } from './state-support.ts';
import { runs } from '../../../test/support/runs.ts';

// The double-entry ledger (docs/contract.md#money) over random histories of creates and transitions.

const currencies = ['USD', 'EUR', 'JPY'] as const;
const currency = fc.constantFrom(...currencies);
const { debitAt, refund } = settings;
const terms = fc.record({
  fees: fee,
  debitAt: fc.constantFrom(...debitAt.fields.status),
  refund: fc.constantFrom(...refund.fields.failed),
  statuses: fc.constantFrom(...settings.statuses.fields.path),
});
const step = fc.oneof(
  fc.record({
    kind: fc.constant('create' as const),
    from: currency,
    to: currency,
    amount: fc.bigInt({ min: 1n, max: 40_000n }),
    terms,
  }),
  fc.record({
    kind: fc.constant('transition' as const),
    nth: fc.nat(10),
    transition: fc.constantFrom(...transitionNames),
  }),
);

function open(): { state: State; accountState: AccountState } {
  const { state, account } = openState();
  const accountState = account.byMode.test;
  const entries = currencies.map((code) => depositEntry(code, 100_000n, 0));
  void commit(state, accountState, { entries });
  return { state, accountState };
}

function run(
  { state, accountState }: ReturnType<typeof open>,
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
      accountState.profile = applyChoice(defaultProfile, next.terms);
      const decision = decideCreate(order, {
        id: drawId(accountState, 'pay', accountState.payments.size + 1),
        mode: 'test',
        now: beginChange(state, accountState),
        terms: accountState.profile,
        available: availableOf(accountState, next.from),
        nextRow: accountState.transactions.length,
      });
      if (!('error' in decision)) void commit(state, accountState, decision);
    } else {
      const id = [...accountState.payments.keys()][next.nth];
      if (id !== undefined) transitionPayment(state, accountState, id, next.transition);
    }
  }
}

const total = (amounts: bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n);

describe('the ledger', () => {
  it('balances every entry and agrees with its payments after any history', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const opened = open();
        run(opened, steps);
        const { accountState } = opened;
        const payments = [...accountState.payments.values()];
        const entries = payments.flatMap(paymentEntries);
        const opening = depositEntry('USD', 100_000n, 0);
        for (const code of currencies) {
          const booked = (account: (typeof ledgerAccounts)[number], among: readonly Entry[]): bigint =>
            total(
              among
                .flatMap(({ postings }) => postings)
                .filter((posting) => posting.account === account && posting.currency === code)
                .map(({ amount }) => amount),
            );
          for (const entry of [...entries, opening])
            expect(total(ledgerAccounts.map((account) => booked(account, [entry])))).toBe(0n);
          const on = (account: (typeof ledgerAccounts)[number]): bigint =>
            balanceOf(accountState, account, code);
          // The ledger equals the sum of the entries of all payments.
          for (const account of ['in_flight', 'fees', 'fx', 'paid_out'] as const)
            expect(on(account)).toBe(booked(account, entries));
          expect(on('wallet')).toBe(100_000n + booked('wallet', entries));
          expect(on('wallet')).toBeGreaterThanOrEqual(0n);
          expect(total(ledgerAccounts.map(on))).toBe(0n);
          const from = payments.filter((each) => each.from_currency === code);
          const pending = from.filter(isOpen);
          const debits = (list: typeof payments): bigint => total(list.map((each) => each.debit));
          expect(on('in_flight') + total(pending.map(reservedBy))).toBe(debits(pending));
          expect(availableOf(accountState, code)).toBe(on('wallet') - total(from.map(reservedBy)));
          expect(availableOf(accountState, code)).toBeGreaterThanOrEqual(0n);
        }
        const balances = new Map<string, bigint>();
        for (const row of accountState.transactions) {
          const balance = (balances.get(row.currency) ?? 0n) + row.amount;
          expect(row.balance_after).toBe(balance);
          balances.set(row.currency, balance);
        }
        for (const code of currencies)
          expect(balances.get(code)).toBe(balanceOf(accountState, 'wallet', code));
      }),
      { numRuns: runs(100) },
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
  ])('rejects an entry that %s, and changes nothing', (_, postings, message) => {
    const { accountState } = open();
    const before = structuredClone(accountState);
    const wallet = postings.find(({ account }) => account === 'wallet') ?? null;
    const entries: Entry[] = [
      { kind: 'deposit', at: 0, payment_id: null, postings, wallet, type: 'deposit' },
    ];
    expect(() => applyChange(accountState, { entries, opens: 'CHF' })).toThrow(message);
    expect(accountState).toEqual(before);
  });
});
