// Quotes and wallets as a service shows them.
import { type Micro, toMicro, toRecord } from '@service/internal';
import { listProblems, type Traffic } from '../traffic.ts';

/** Currencies without minor units. */
export const noDecimals: readonly string[] = ['JPY', 'KRW', 'VND', 'CLP', 'UGX', 'XOF'];

export const ONE = 1_000_000n;
export const abs = (value: bigint): bigint => (value < 0n ? -value : value);
/** The amount of quotes whose rate is read, in hundredths. */
export const SAMPLE = 100_000n;

/** The amounts and the rate of a quote, in millionths. */
export interface Quoted {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly send: Micro;
  readonly fee: Micro;
  readonly rate: Micro;
  readonly receive: Micro;
}

/** Returns the quotes of valid requests whose amounts can be read. */
export function readQuotes({ quotes }: Traffic): Quoted[] {
  return quotes.flatMap((call): Quoted[] => {
    const { send_amount, fee, rate, receive_amount } = call.response.data;
    const [send, cost, price, receive] = [send_amount, fee, rate, receive_amount].map(toMicro);
    const isValid = listProblems(call).every(({ kind }) => kind === 'currency_same');
    if (!isValid || send === undefined || cost === undefined || price === undefined || receive === undefined)
      return [];
    // A fee that is taken out of a smaller amount can be cut.
    if (price <= 0n || cost < 0n || (cost >= send && receive === 0n) || receive < 0n) return [];
    const { from_currency, to_currency } = call.sent;
    return [
      {
        from: String(from_currency),
        to: String(to_currency),
        at: call.start,
        send,
        fee: cost,
        rate: price,
        receive,
      },
    ];
  });
}

/** The currencies of a quote. */
export interface Pair {
  readonly from: string;
  readonly to: string;
}

/** The amounts of a pair to ask next, in hundredths. */
export interface Plan extends Pair {
  readonly amounts: readonly bigint[];
}

/** Returns the currencies and balances of the first response with them. */
export function readWallets({ balances }: Traffic): (readonly [code: string, balance: Micro | undefined])[] {
  const listed = balances[0]?.response.data.balances;
  return (Array.isArray(listed) ? listed : [])
    .map(toRecord)
    .map(({ currency, balance }) => [String(currency), toMicro(balance)] as const);
}
