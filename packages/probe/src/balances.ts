import { type JsonObject, type Micro, toMicro, toRecord } from '@service/internal';
import { createTestPayment, type ProbeContext, requireData } from './context.ts';
import { Inconclusive } from './finding.ts';
import { isRefusal, type RawResponse } from './raw-client.ts';
import { listLeaves } from './templates/places.ts';

/** The largest amount of the contract. */
const LARGEST: Micro = 999_999_999_990_000n;
const ONE: Micro = 1_000_000n;

/**
 * Returns a whole amount of more than the balance, in the currency of the plan.
 *
 * @throws {Inconclusive} when the wallet has enough money for every amount.
 */
export async function findLackingAmount(context: ProbeContext): Promise<number> {
  return exceed(await readBalance(context));
}

/**
 * Returns a whole amount of more than a balance.
 *
 * @throws {Inconclusive} when the balance is enough for every amount.
 */
export function exceed(balance: Micro): number {
  const lacking = balance + 1_000n * ONE;
  if (lacking > LARGEST) throw new Inconclusive('the wallet has enough money for every amount');
  return Number(lacking / ONE);
}

/**
 * Attempts a payment of more than the balance. A service that accepts its other fields refuses it for lack of funds, so
 * that it creates no payment.
 *
 * @throws {Inconclusive} when the service accepts the payment.
 */
export async function refusePayment(context: ProbeContext, changes: object): Promise<RawResponse> {
  const response = await createTestPayment(context, changes);
  if (isRefusal(response)) return response;
  throw new Inconclusive(`the service accepted a payment of more than the balance: ${response.status}`);
}

/** Returns two refusals for lack of funds. The values that differ between them, such as ids, are not their reason. */
export async function refuseForFunds(context: ProbeContext): Promise<readonly RawResponse[]> {
  const amount = await findLackingAmount(context);
  return [await refusePayment(context, { amount }), await refusePayment(context, { amount: amount + 777 })];
}

/** Returns whether a refusal has the status and the values that all others share. Numbers in texts do not count. */
export function isSameRefusal(response: RawResponse, others: readonly RawResponse[]): boolean {
  const [first, ...more] = others.map(listParts);
  if (first === undefined) return false;
  const shared = [...first].filter(([path, value]) => more.every((each) => each.get(path) === value));
  const parts = listParts(response);
  return parts.size === first.size && shared.every(([path, value]) => parts.get(path) === value);
}

/** Returns the values of a refusal by their path. */
function listParts({ status, body, text }: RawResponse): ReadonlyMap<string, unknown> {
  const parts = listLeaves(body ?? text).map(
    ([path, value]) =>
      [`body.${path}`, typeof value === 'string' ? value.replaceAll(/\d[\d.,]*/g, '#') : value] as const,
  );
  return new Map<string, unknown>([['status', status], ...parts]);
}

/**
 * Returns the balance of the wallet of the plan; 0 if it is not listed.
 *
 * @throws {Inconclusive} when the wallet has no readable balance.
 */
export async function readBalance(context: ProbeContext): Promise<Micro> {
  const wallet = (await readWallets(context)).find(({ currency }) => currency === context.plan.from);
  return wallet === undefined ? 0n : toBalance(wallet);
}

/**
 * Returns the balance of each wallet.
 *
 * @throws {Inconclusive} when a wallet has no currency or no readable balance.
 */
export async function readBalances(context: ProbeContext): Promise<ReadonlyMap<string, Micro>> {
  return new Map(
    (await readWallets(context)).map((wallet) => {
      const { currency } = wallet;
      if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
        throw new Inconclusive('a wallet has no currency code of three letters');
      return [currency, toBalance(wallet)];
    }),
  );
}

async function readWallets({ send }: ProbeContext): Promise<readonly JsonObject[]> {
  const { balances } = requireData(await send('/balance'), 'GET /balance');
  if (!Array.isArray(balances)) throw new Inconclusive('`balances` is not an array');
  return balances.map(toRecord);
}

function toBalance({ balance }: JsonObject): Micro {
  const micro = toMicro(balance);
  if (micro === undefined) throw new Inconclusive('a balance is not a number');
  return micro;
}
