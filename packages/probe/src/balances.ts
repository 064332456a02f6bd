import { type Micro, toMicro, toRecord } from '@service/internal';
import { type ProbeContext, requireData } from './context.ts';
import { Inconclusive } from './finding.ts';

/** The largest amount of the contract. */
const LARGEST: Micro = 999_999_999_990_000n;
const ONE: Micro = 1_000_000n;

/**
 * Returns a whole amount of more than the balance, in the currency of the plan.
 *
 * @throws {Inconclusive} when the wallet has enough money for every amount.
 */
export async function findLackingAmount(context: ProbeContext): Promise<number> {
  const balance = (await readBalances(context)).get(context.plan.from) ?? 0n;
  const lacking = balance + 1_000n * ONE;
  if (lacking > LARGEST) throw new Inconclusive('the wallet has enough money for every amount');
  return Number(lacking / ONE);
}

/**
 * Returns the balance of each wallet.
 *
 * @throws {Inconclusive} when a wallet has no currency or no readable balance.
 */
export async function readBalances({ send }: ProbeContext): Promise<ReadonlyMap<string, Micro>> {
  const { balances } = requireData(await send('/balance'), 'GET /balance');
  if (!Array.isArray(balances)) throw new Inconclusive('`balances` is not an array');
  return new Map(
    balances.map(toRecord).map(({ currency, balance }) => {
      const micro = toMicro(balance);
      if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
        throw new Inconclusive('a wallet has no currency code of three letters');
      if (micro === undefined) throw new Inconclusive('a balance is not a number');
      return [currency, micro];
    }),
  );
}
