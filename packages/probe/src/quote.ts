import { CENT, type JsonObject, type Micro, toMicro, writeCents } from '@service/internal';
import { type ProbeContext, requestQuote, requireQuote } from './context.ts';
import { Inconclusive } from './finding.ts';
import { formatValue } from './raw-client.ts';

/** The currencies of a quote. */
export interface Pair {
  readonly from: string;
  readonly to: string;
}

/** The amounts and the rate of a quote, in millionths. */
export interface Quoted {
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
}

/**
 * Requests a quote for an amount in hundredths.
 *
 * @throws {Inconclusive} when the service rejects it or an amount cannot be read.
 */
export async function quoteCents(context: ProbeContext, pair: Pair, cents: bigint): Promise<Quoted> {
  return parseAmounts(await requireQuote(context, toBody(pair, cents)));
}

/** Requests a quote as `quoteCents` does. Returns undefined if the service rejects it. */
export async function tryQuote(
  context: ProbeContext,
  pair: Pair,
  cents: bigint,
): Promise<Quoted | undefined> {
  const response = await requestQuote(context, toBody(pair, cents));
  return response.accepted ? parseAmounts(response.data) : undefined;
}

/** Requests the rate of an amount in hundredths, and keeps it. Returns undefined if the service rejects the amount. */
export async function askRate(context: ProbeContext, pair: Pair, cents: bigint): Promise<Micro | undefined> {
  const response = await requestQuote(context, toBody(pair, cents));
  return response.accepted ? keepRate(context, { pair, cents, data: response.data }) : undefined;
}

/** Returns the kept rates of a pair by their amount in hundredths. */
export function listPrices({ market: { prices } }: ProbeContext, { from, to }: Pair): Map<bigint, Micro> {
  const name = `${from}/${to}`;
  const known = prices.get(name) ?? new Map<bigint, Micro>();
  prices.set(name, known);
  return known;
}

interface KeptQuote {
  readonly pair: Pair;
  readonly cents: bigint;
  readonly data: JsonObject;
}

function keepRate(context: ProbeContext, { pair, cents, data }: KeptQuote): Micro | undefined {
  const rate = toMicro(data.rate);
  if (rate !== undefined) listPrices(context, pair).set(cents, rate);
  return rate;
}

/**
 * Requests the fee of an amount, both in hundredths. Returns undefined if the service rejects the amount.
 *
 * @throws {Inconclusive} when the fee is not a whole number of hundredths.
 */
export async function askFee(context: ProbeContext, pair: Pair, cents: bigint): Promise<bigint | undefined> {
  const response = await requestQuote(context, toBody(pair, cents));
  if (!response.accepted) return undefined;
  keepRate(context, { pair, cents, data: response.data });
  const fee = toMicro(response.data.fee);
  if (fee === undefined || fee < 0n || fee % CENT !== 0n)
    throw new Inconclusive(`a fee is not an amount with two decimals: ${formatValue(response.data.fee)}`);
  return fee / CENT;
}

/** Returns the body of a quote for an amount in hundredths. */
export function toBody({ from, to }: Pair, cents: bigint): object {
  // Two decimals survive the conversion to a double.
  return { from_currency: from, to_currency: to, amount: Number(writeCents(cents)) };
}

function parseAmounts({ send_amount, fee, rate, receive_amount }: JsonObject): Quoted {
  const [send, cost, price, receive] = [send_amount, fee, rate, receive_amount].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined || receive === undefined)
    throw new Inconclusive('a quote has an amount or rate that is not a number');
  // A fee that is taken out of a smaller amount can be cut.
  const isCut = cost >= send && receive === 0n;
  if (price <= 0n || cost < 0n || isCut || receive < 0n)
    throw new Inconclusive('the amounts or the rate of a quote are out of range');
  return { send, fee: cost, rate: price, receive };
}

/**
 * Returns the amount that is exchanged, in hundredths: without the fee if the fee is inside `send_amount`.
 */
export function exchanged({ send, fee }: Quoted, isInside: boolean): bigint {
  return (isInside ? send - fee : send) / CENT;
}
