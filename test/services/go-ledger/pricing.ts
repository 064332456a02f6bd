import { centsNumber, divideHalfEven, divideUp, rateNumber } from './decimal.ts';

/** Fee in the source currency, on top of the amount. */
interface FeeSchedule {
  readonly basisPoints: bigint;
  readonly fixed: bigint;
  readonly minimum: bigint;
  readonly maximum: bigint;
}

interface Currency {
  /** Units per USD, in millionths. */
  readonly perDollar: bigint;
  /** Smallest amount that can be paid out, in hundredths. */
  readonly step: bigint;
  readonly fee: FeeSchedule;
}

const majorRail: FeeSchedule = { basisPoints: 40n, fixed: 25n, minimum: 100n, maximum: 2_500n };
const localRail: FeeSchedule = { basisPoints: 110n, fixed: 50n, minimum: 250n, maximum: 6_000n };
const bookTransferFee = 75n;
const SPREAD_BASIS_POINTS = 55n;

const currencies = new Map<string, Currency>([
  ['EUR', { perDollar: 923_415n, step: 1n, fee: majorRail }],
  ['GBP', { perDollar: 788_260n, step: 1n, fee: majorRail }],
  ['GHS', { perDollar: 15_472_000n, step: 1n, fee: localRail }],
  ['INR', { perDollar: 84_392_500n, step: 1n, fee: localRail }],
  ['JPY', { perDollar: 151_873_000n, step: 100n, fee: majorRail }],
  ['KES', { perDollar: 129_310_000n, step: 1n, fee: localRail }],
  ['NGN', { perDollar: 1_648_275_000n, step: 1n, fee: localRail }],
  ['USD', { perDollar: 1_000_000n, step: 1n, fee: majorRail }],
  ['XOF', { perDollar: 605_720_000n, step: 100n, fee: localRail }],
  ['ZAR', { perDollar: 18_104_350n, step: 1n, fee: localRail }],
]);

/** Currencies with a funded wallet. */
export const sourceCurrencies: readonly string[] = ['EUR', 'GBP', 'USD'];
export const payoutCurrencies: readonly string[] = [...currencies.keys()];

/** Amounts in hundredths, the rate in millionths. */
export interface Price {
  readonly from: string;
  readonly to: string;
  readonly send: bigint;
  readonly fee: bigint;
  readonly rate: bigint;
  readonly receive: bigint;
}

export function priceTransfer(from: string, to: string, send: bigint): Price {
  const source = currencies.get(from);
  const target = currencies.get(to);
  if (source === undefined || target === undefined) throw new RangeError(`No rate from ${from} to ${to}.`);
  if (from === to) return { from, to, send, fee: bookTransferFee, rate: 1_000_000n, receive: send };
  const rate = divideHalfEven(
    target.perDollar * (10_000n - SPREAD_BASIS_POINTS) * 1_000_000n,
    source.perDollar * 10_000n,
  );
  const receive = divideHalfEven(send * rate, 1_000_000n * target.step) * target.step;
  return { from, to, send, fee: computeFee(target.fee, send), rate, receive };
}

function computeFee(schedule: FeeSchedule, send: bigint): bigint {
  const fee = schedule.fixed + divideUp(send * schedule.basisPoints, 10_000n);
  if (fee < schedule.minimum) return schedule.minimum;
  return fee > schedule.maximum ? schedule.maximum : fee;
}

export function formatQuote(price: Price): object {
  return {
    from_currency: price.from,
    to_currency: price.to,
    send_amount: centsNumber(price.send),
    fee: centsNumber(price.fee),
    rate: rateNumber(price.rate),
    receive_amount: centsNumber(price.receive),
  };
}
