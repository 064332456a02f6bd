import type { Currency } from '@service/contract';
import { type MoneySettings, toMicro } from '@service/internal';

/** A rate in millionths. */
export type Micro = bigint;

/** An amount in hundredths of a currency. */
export type Minor = bigint;

/**
 * Units per US dollar and ISO 4217 digits of each currency. The rates are invented for tests
 * (docs/contract.md#money).
 */
const currencyTable: Readonly<Record<string, readonly [perDollar: string, digits: number]>> = {
  AED: ['3.6725', 2],
  AUD: ['1.5243', 2],
  BDT: ['119.48', 2],
  BHD: ['0.376', 3],
  BRL: ['5.6842', 2],
  CAD: ['1.3712', 2],
  CHF: ['0.8842', 2],
  CLP: ['948.62', 0],
  CNY: ['7.2431', 2],
  COP: ['4362.75', 2],
  CZK: ['23.184', 2],
  DKK: ['6.873', 2],
  EGP: ['48.652', 2],
  EUR: ['0.9213', 2],
  GBP: ['0.7894', 2],
  GHS: ['15.482', 2],
  HKD: ['7.7824', 2],
  HUF: ['362.45', 2],
  IDR: ['15873', 2],
  ILS: ['3.7124', 2],
  INR: ['83.912', 2],
  JPY: ['151.23', 0],
  KES: ['129.15', 2],
  KRW: ['1378.5', 0],
  KWD: ['0.3071', 3],
  MAD: ['9.9214', 2],
  MXN: ['19.8345', 2],
  MYR: ['4.452', 2],
  NGN: ['1602.75', 2],
  NOK: ['10.8456', 2],
  NZD: ['1.6678', 2],
  PHP: ['58.214', 2],
  PKR: ['278.35', 2],
  PLN: ['3.9615', 2],
  RON: ['4.5821', 2],
  SAR: ['3.75', 2],
  SEK: ['10.5123', 2],
  SGD: ['1.3456', 2],
  THB: ['34.685', 2],
  TRY: ['34.215', 2],
  TWD: ['32.184', 2],
  UGX: ['3668.4', 0],
  USD: ['1', 2],
  VND: ['25410', 0],
  XOF: ['604.333184', 0],
  ZAR: ['18.1425', 2],
};

/** The precision of amounts: 2 decimals in every currency, or the ISO 4217 digits, at most 2. */
export type MinorUnits = 'two' | 'iso';

/** The currencies of the table, sorted by code. */
export const currencies: readonly Currency[] = Object.keys(currencyTable);

function findRow(code: Currency): readonly [perDollar: string, digits: number] | undefined {
  return Object.hasOwn(currencyTable, code) ? currencyTable[code] : undefined;
}

/** Returns the units of a currency per US dollar in the table, in millionths. Undefined for other currencies. */
export function readPerDollar(code: Currency): Micro | undefined {
  return toMicro(findRow(code)?.[0]);
}

/** Returns whether a profile supports a currency. Codes are upper case. */
export function isSupported(
  code: Currency,
  { currencies: supported }: Pick<MoneySettings, 'currencies'>,
): boolean {
  return supported === 'default' ? findRow(code) !== undefined : supported.includes(code);
}

/** Returns the smallest amount of a currency in hundredths: 1, or 100 for a currency without decimals. */
export function smallestStep(code: Currency, minorUnits: MinorUnits): Minor {
  return minorUnits === 'iso' && findRow(code)?.[1] === 0 ? 100n : 1n;
}
