import type { Currency } from '@service/contract';
import { reservedBy } from '../domain/ledger.ts';
import { type Minor, toAmount } from '../domain/money.ts';
import type { AccountState } from '../state/account-state.ts';

/**
 * The invariants of a ledger. `balanced`: all accounts add up to 0 in every currency. `history`: the balance of each wallet
 * is the sum of its transactions. `reserved`: the reserved amounts are those of the open payments. `funded`: no wallet
 * has less than it reserves.
 */
export const ledgerCheckNames = ['balanced', 'not_overdrawn', 'history', 'reserved', 'funded'] as const;

/** An invariant of the ledger of an account and mode, and whether it holds. */
export interface LedgerCheck {
  readonly name: (typeof ledgerCheckNames)[number];
  readonly isHeld: boolean;
  /** The figures, or the first contradiction. */
  readonly detail: string;
}

type Sums = ReadonlyMap<Currency, Minor>;

/** Checks the ledger of an account and mode against its payments and transactions. */
export function checkLedger(accountState: AccountState): readonly LedgerCheck[] {
  const { ledger, transactions, payments, reserved } = accountState;
  const wallets = ledger.get('wallet') ?? new Map<Currency, Minor>();
  const all = sumUp([...ledger.values()].flatMap((balances) => [...balances]));
  const rows = sumUp(transactions.map(({ currency, amount }) => [currency, amount]));
  const held = sumUp([...payments.values()].map((payment) => [payment.from_currency, reservedBy(payment)]));
  const negative = [...wallets].filter(([, amount]) => amount < 0n);
  const short = [...held].filter(([currency, amount]) => amount > (wallets.get(currency) ?? 0n));
  return [
    compare('balanced', all, new Map()),
    toCheck('not_overdrawn', negative, `${wallets.size} wallets`),
    compare('history', wallets, rows),
    compare('reserved', reserved, held),
    toCheck('funded', short, `${held.size} currencies with payments`),
  ];
}

function sumUp(amounts: readonly (readonly [Currency, Minor])[]): Map<Currency, Minor> {
  const sums = new Map<Currency, Minor>();
  for (const [currency, amount] of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  return sums;
}

function compare(name: LedgerCheck['name'], actual: Sums, expected: Sums): LedgerCheck {
  const currencies = [...new Set([...actual.keys(), ...expected.keys()])];
  const different = currencies.filter(
    (currency) => (actual.get(currency) ?? 0n) !== (expected.get(currency) ?? 0n),
  );
  return toCheck(
    name,
    different.map((currency) => [currency, actual.get(currency) ?? 0n]),
    `${currencies.length} currencies`,
  );
}

function toCheck(
  name: LedgerCheck['name'],
  contradictions: readonly (readonly [Currency, Minor])[],
  figures: string,
): LedgerCheck {
  const [first] = contradictions;
  if (first === undefined) return { name, isHeld: true, detail: figures };
  return { name, isHeld: false, detail: `${first[0]} ${toAmount(first[1]).toString()}` };
}
