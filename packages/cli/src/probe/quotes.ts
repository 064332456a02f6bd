import type { Fields } from '../json.ts';
import { type Bench, quote, quoteWell } from './bench.ts';
import { Inconclusive } from './finding.ts';
import { CENT, type Micro, toMicro, writeCents } from './micro.ts';

/** Names the currencies of a quote. */
export type Pair = { readonly from: string; readonly to: string };

/** Holds the figures of a quote in millionths. */
export type Quoted = {
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
};

/** Asks for a quote of some hundredths and reads its figures. Throws Inconclusive when it is refused or has none. */
export async function quoteCents(bench: Bench, pair: Pair, cents: bigint): Promise<Quoted> {
  return readFigures(await quoteWell(bench, toBody(pair, cents)));
}

/** Asks for a quote as `quoteCents` does; undefined when the service refuses it. */
export async function tryQuote(bench: Bench, pair: Pair, cents: bigint): Promise<Quoted | undefined> {
  const sighting = await quote(bench, toBody(pair, cents));
  return sighting.accepted ? readFigures(sighting.data) : undefined;
}

function toBody({ from, to }: Pair, cents: bigint): object {
  // A decimal of two places survives a double.
  return { from_currency: from, to_currency: to, amount: Number(writeCents(cents)) };
}

function readFigures({ send_amount, fee, rate, receive_amount }: Fields): Quoted {
  const [send, cost, price, receive] = [send_amount, fee, rate, receive_amount].map(toMicro);
  if (send === undefined || cost === undefined || price === undefined || receive === undefined)
    throw new Inconclusive('a figure of a quote cannot be read');
  if (price <= 0n || cost < 0n || cost >= send || receive < 0n)
    throw new Inconclusive('the figures of a quote make no sense');
  return { send, fee: cost, rate: price, receive };
}

/** Returns what is exchanged, in hundredths, when the fee lies inside the amount, and when it does not. */
export function exchanged({ send, fee }: Quoted, isInside: boolean): bigint {
  return (isInside ? send - fee : send) / CENT;
}
