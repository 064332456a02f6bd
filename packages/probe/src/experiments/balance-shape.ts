import {
  isRecord,
  type JsonObject,
  type Micro,
  type ObjectTemplate,
  toMicro,
  toRecord,
} from '@service/internal';
import { type Experiment, requireData } from '../context.ts';
import { type Finding, found, unknown } from '../finding.ts';
import type { Known, KnownValues } from '../templates/known.ts';
import { addUnexplained, learnTemplate } from '../templates/learn.ts';
import { formsOf, readResponse, textOf } from '../templates/values.ts';
import type { RawResponse } from '../raw-client.ts';

/** The experiment about the fields of balances. It uses the balances that the experiments before it have read. */
export const balanceShape: readonly Experiment[] = [
  {
    settings: ['balanceShape'],
    run: async ({ send, balances }) => {
      requireData(await send('/balance'), 'GET /balance');
      return [evaluateBalances(balances)];
    },
  },
];

/** A response with balances. */
export type BalanceResponse = Pick<RawResponse, 'data' | 'headers' | 'text' | 'request'>;

/** Compares balances with the documented fields, in responses from the oldest to the latest one. */
export function evaluateBalances(responses: readonly BalanceResponse[]): Finding {
  const all = responses.map(({ data }) => listEntries(data));
  const entries = all.flat();
  const names = new Set([
    ...responses.flatMap(({ data }) => Object.keys(data)),
    ...entries.flatMap((entry) => Object.keys(entry)),
  ]);
  const evidence = `fields: ${[...names].join(', ')}`;
  const isDocumented =
    ['balances', 'currency', 'balance'].every((name) => names.delete(name)) && names.size === 0;
  if (isDocumented) return found('balanceShape', 'documented', evidence);
  if (entries.length === 0) return unknown('balanceShape', evidence);
  const readReserved = findReserved(all);
  const samples = responses.map((response) => ({
    json: response.data,
    known: readResponse(response),
    lists: {
      wallets: listEntries(response.data).map((entry) => ({
        name: String(entry.currency),
        known: readWallet(entry, readReserved),
      })),
    },
  }));
  const learned = learnTemplate(samples, formsOf(responses[0]?.data));
  return found(
    'balanceShape',
    learned.template as ObjectTemplate,
    addUnexplained(evidence, learned.unexplained),
  );
}

function listEntries({ balances }: JsonObject): JsonObject[] {
  return Array.isArray(balances) ? balances.map(toRecord) : [];
}

/** Returns the known values of a wallet. */
function readWallet(entry: JsonObject, readReserved: ReadReserved | undefined): KnownValues {
  const balance = balanceOf(entry);
  const reserved = readReserved?.(entry);
  return {
    currency: textOf(entry.currency),
    balance: toKnown(balance),
    ...(reserved !== undefined && { available: toKnown(balance - reserved), reserved: toKnown(reserved) }),
  };
}

function toKnown(micro: Micro): Known {
  return { kind: 'amount', micro };
}

function balanceOf({ balance }: JsonObject): Micro {
  return toMicro(balance) ?? 0n;
}

/** Reads the amount that payments reserve in a wallet. Undefined if its field has no amount. */
type ReadReserved = (entry: JsonObject) => Micro | undefined;

/** The units of amounts in hundredths. */
const HUNDREDTHS = 100n;

/** Looks for a field that shows the reserved amount, or the rest of the balance. */
function findReserved(responses: readonly (readonly JsonObject[])[]): ReadReserved | undefined {
  const paths = new Map(
    responses.flat().flatMap((entry) => listNumbers(entry).map((path) => [path.join('.'), path])),
  );
  const readers = [...paths.values()].flatMap((path) =>
    [1n, HUNDREDTHS].flatMap((units): ReadReserved[] => {
      const read = (entry: JsonObject): Micro | undefined => {
        const shown = toMicro(path.reduce<unknown>((value, name) => toRecord(value)[name], entry));
        return shown === undefined ? undefined : shown / units;
      };
      const readRest = (entry: JsonObject): Micro | undefined => {
        const shown = read(entry);
        return shown === undefined ? undefined : balanceOf(entry) - shown;
      };
      return path.join() === 'balance' ? [] : [read, readRest];
    }),
  );
  return readers.find((read) => showsReserved(responses, read));
}

/** Returns the paths of the numbers of an object, also those of decimal text. */
function listNumbers(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (!isRecord(value)) return toMicro(value) === undefined ? [] : [path];
  return Object.entries(value).flatMap(([name, inner]) => listNumbers(inner, [...path, name]));
}

/**
 * Returns whether an amount is the reserved one: it is never negative, 0 while nothing is reserved, and a later balance is
 * lower by it.
 */
function showsReserved(responses: readonly (readonly JsonObject[])[], read: ReadReserved): boolean {
  const readings = responses.flatMap((entries, at) =>
    entries.map((entry) => ({
      at,
      currency: entry.currency,
      balance: balanceOf(entry),
      reserved: read(entry),
    })),
  );
  const isAmount = readings.every(({ reserved }) => reserved !== undefined && reserved >= 0n);
  const held = readings.filter(({ reserved = 0n }) => reserved > 0n);
  const isDebited = held.some(({ at, currency, balance, reserved = 0n }) =>
    readings.some(
      (later) =>
        later.at > at &&
        later.currency === currency &&
        later.balance === balance - reserved &&
        later.reserved === 0n,
    ),
  );
  return isAmount && isDebited;
}
