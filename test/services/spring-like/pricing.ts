import { BigDecimal } from './big-decimal.ts';
import { ApiException, unprocessable } from './exceptions.ts';
import { currencies, limits, pricing } from './settings.ts';

const one = BigDecimal.of('1');

/** Price of a payment; the fee is charged on top of the sent amount. */
export interface Price {
  readonly sendAmount: BigDecimal;
  readonly fee: BigDecimal;
  readonly rate: BigDecimal;
  readonly receiveAmount: BigDecimal;
}

export interface Corridor {
  readonly from: string;
  readonly to: string;
}

/**
 * Prices an amount.
 * @throws {ApiException} when the service has no such corridor
 */
export function priceOf(corridor: Corridor, amount: BigDecimal): Price {
  const { source, target } = settingsOf(corridor);
  const sendAmount = amount.setScale(2, 'HALF_EVEN');
  if (corridor.from === corridor.to) {
    const fee = source.minimumFee.multiply(pricing.domesticShare).setScale(2, 'HALF_EVEN');
    return { sendAmount, fee, rate: one.setScale(6, 'DOWN'), receiveAmount: sendAmount };
  }
  const euros = euroAmount(corridor.from, sendAmount);
  const margin = pricing.margins.find(({ from }) => euros.compareTo(from) >= 0)?.margin ?? one;
  const middle = target.perEuro.divide(source.perEuro, 12, 'HALF_EVEN');
  const rate = middle.multiply(one.subtract(margin)).setScale(6, 'DOWN');
  const fee = sendAmount.multiply(pricing.feeShare).max(source.minimumFee).min(source.maximumFee);
  return {
    sendAmount,
    fee: fee.setScale(2, 'HALF_EVEN'),
    rate,
    receiveAmount: sendAmount.multiply(rate).setScale(target.decimals, 'HALF_EVEN').setScale(2, 'DOWN'),
  };
}

export function isReviewed(currency: string, amount: BigDecimal): boolean {
  return euroAmount(currency, amount).compareTo(limits.review) >= 0;
}

/** @throws {ApiException} when the amount of one payment is too high */
export function checkPaymentLimit(currency: string, amount: BigDecimal): void {
  if (euroAmount(currency, amount).compareTo(limits.maximum) <= 0) return;
  throw new ApiException(
    422,
    'limit_exceeded',
    `The amount exceeds the limit of ${limits.maximum.toPlainString()} EUR per payment`,
  );
}

function euroAmount(currency: string, amount: BigDecimal): BigDecimal {
  const perEuro = currencies.get(currency)?.perEuro ?? one;
  return amount.divide(perEuro, 2, 'HALF_EVEN');
}

function settingsOf({ from, to }: Corridor) {
  const source = currencies.get(from);
  const target = currencies.get(to);
  if (source === undefined) throw unprocessable(`Currency ${from} is not supported`);
  if (target === undefined) throw unprocessable(`Currency ${to} is not supported`);
  if (source.isPayoutOnly) throw unprocessable(`Payments from ${from} are not supported`);
  return { source, target };
}
