import type { Payment } from '../models.ts';
import { comparePayment, compareText, listPossibleAmounts, listSupplierFields } from '../comparison.ts';
import type { TransactionRow } from '../transactions/rows.ts';
import type { WantedPayment } from './input.ts';
import { isOtherPurpose, startsWith } from './match.ts';
import { type AccountReader, readTime, type RetrievedPayments } from './reader.ts';

/** The payments found through the transactions of an account. */
interface SearchResult {
  readonly payments: readonly Payment[];
  /** Whether the search may have missed a payment. */
  readonly isIncomplete: boolean;
  /** Returns the age of a payment relative to the create, or to one that was sent at another time. */
  readonly getAge: (payment: Payment, sentAt?: number) => Age;
  /** Returns the purposes of the records of other payments that can have the same beneficiary. */
  readonly listOtherPurposes: (payment: Payment) => readonly string[];
}

/**
 * Reads the transactions in the time window of a create and retrieves the payments that the create may have
 * made. `listHeld` returns those of the payments that other creates have.
 */
export async function searchRecords(
  wanted: WantedPayment,
  reader: AccountReader,
  listHeld: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<SearchResult> {
  const { rows, unreadable, isComplete } = await reader.readRecords(() => {
    const window = createWindow(wanted, reader);
    return window.isCertain ? window.start : undefined;
  });
  const { start } = createWindow(wanted, reader);
  const isBefore = ({ transaction }: TransactionRow): boolean => readTime(transaction.created_at) < start;
  const isFitting = (row: TransactionRow): boolean => !isContradicting(row, wanted);
  const all = rows.filter(({ transaction }) => !nonPaymentTypes.test(transaction.type));
  // Rows before the window belong to other creates, but the payments of those that fit can look the same.
  const fitting = all.filter(isFitting);
  const others = all.filter((row) => !isBefore(row) && !isFitting(row));
  // Older rows too: their purposes can look like a cut form of the sent one.
  const similar = rows.filter(({ transaction }) => startsWith(transaction.reference, wanted.fields.purpose));
  const held = await listHeld([...new Set(toIds([...unreadable, ...fitting, ...others, ...similar]))]);

  const payments = new Map<string, Payment | undefined>();
  const skipped = new Set([...(wanted.exclude ?? []), ...held]);
  const retrieveAll = async (ids: readonly string[]): Promise<void> => {
    const found = await reader.retrieve(ids.filter((id) => !skipped.has(id)));
    for (const [id, payment] of found) payments.set(id, payment);
  };

  await retrieveAll(toIds([...unreadable, ...fitting]));
  let isConfirmed = confirmMeaning(fitting, payments);
  if (isConfirmed === undefined) {
    await retrieveAll(others.find(hasAllFields)?.paymentIds ?? []);
    isConfirmed = confirmMeaning(others, payments);
  }
  if (!isConfirmed) await retrieveAll(toIds(others));
  const relevant = [...fitting.filter((row) => !isBefore(row)), ...(isConfirmed ? [] : others)];
  const hasOtherAmount = isConfirmed === false ? () => false : compareAmounts(all, payments, wanted);
  const isUnlinked = relevant.some(
    (row) =>
      row.paymentIds.length === 0 && isOfCurrency(row, wanted.fields.from_currency) && !hasOtherAmount(row),
  );
  const isUnseen = toIds([...unreadable, ...relevant]).some((id) => payments.has(id) && !payments.get(id));
  return {
    payments: [...payments.values()].filter((payment) => payment !== undefined),
    isIncomplete:
      !isComplete || isUnlinked || isUnseen || unreadable.some((row) => row.paymentIds.length === 0),
    getAge: (payment, sentAt = wanted.sentAt) => createWindow({ ...wanted, sentAt }, reader).getAge(payment),
    listOtherPurposes: ({ id }) => {
      const suppliers = listSupplierFields(wanted.fields);
      const isForeign = (one: string): boolean => {
        const payment = payments.get(one);
        const comparison = payment && comparePayment(wanted.fields, payment);
        return (
          one === id || skipped.has(one) || suppliers.some((field) => comparison?.[field] === 'different')
        );
      };
      const records = rows.filter(({ paymentIds }) => !paymentIds.every(isForeign));
      return records.flatMap(({ transaction }) => transaction.reference ?? []);
    },
  };
}

function toIds(rows: readonly Pick<TransactionRow, 'paymentIds'>[]): readonly string[] {
  return rows.flatMap(({ paymentIds }) => paymentIds);
}

/** The types of rows that are no payment. */
export const nonPaymentTypes: RegExp = /^(deposit|refund|adjustment)$/;

/**
 * Returns whether a row belongs to another create, if its fields have the documented meaning
 * (docs/contract.md#transactions).
 */
function isContradicting(row: TransactionRow, wanted: WantedPayment): boolean {
  const { amount, reference } = row.transaction;
  const amounts = listPossibleAmounts(wanted.fields);
  // A fee on top makes the debit larger than the amount, never smaller.
  const isSmaller = (one: string): boolean => Math.abs(amount) < Number(one);
  const isOtherAmount = typeof amount === 'number' && amounts.every(isSmaller);
  if (isOtherAmount || !isOfCurrency(row, wanted.fields.from_currency)) return true;
  return Boolean(reference) && isOtherPurpose(wanted, reference);
}

/** Returns whether a row can be a debit in a currency. */
export function isOfCurrency({ transaction: { currency } }: TransactionRow, own?: string): boolean {
  return typeof currency !== 'string' || currency.toUpperCase() === own;
}

/**
 * Returns a function that returns whether the amount of a row proves that it is not of the create. Debits of payments prove the
 * sign. Debits of payments with the same amount prove the amount, which can include a fee.
 */
function compareAmounts(
  rows: readonly TransactionRow[],
  payments: RetrievedPayments,
  wanted: WantedPayment,
): (row: TransactionRow) => boolean {
  const sent = listPossibleAmounts(wanted.fields).map(Number);
  const debits: number[] = [];
  const equal: number[] = [];
  for (const { transaction, paymentIds } of rows) {
    const { type, currency, amount } = transaction;
    const payment = paymentIds.length === 1 ? payments.get(paymentIds[0] ?? '') : undefined;
    if (!payment) continue;
    const { status, from_currency, to_currency, send_amount } = payment;
    // A payment can also have rows that credit it, above all one that failed.
    const isCredit =
      !/^(pending|processing|completed)$/.test(status) || /refund|revers|return/i.test(String(type));
    if (isCredit || (currency ?? from_currency) !== from_currency || !(Math.abs(amount) >= send_amount))
      continue;
    debits.push(amount);
    const isSamePair =
      from_currency === wanted.fields.from_currency && to_currency === wanted.fields.to_currency;
    if (isSamePair && sent.includes(send_amount)) equal.push(Math.abs(amount));
  }
  return ({ transaction: { amount, fee } }) => {
    if (debits.length === 0 || typeof amount !== 'number') return false;
    if (debits.every((one) => one * amount < 0)) return true;
    const possible = [...sent, ...sent.map((one) => one + Math.abs(fee ?? 0)), ...equal];
    return equal.length > 0 && possible.every((one) => Math.abs(one - Math.abs(amount)) >= 0.01);
  };
}

/** Returns whether a row has all fields whose meaning its payment can confirm. */
function hasAllFields({ transaction, paymentIds }: TransactionRow): boolean {
  const { currency, amount, reference } = transaction;
  return paymentIds.length === 1 && Boolean(currency && amount && reference);
}

/**
 * Compares rows with their payments. Returns whether the fields of rows have the documented meaning, or
 * undefined if no row proves it.
 */
function confirmMeaning(rows: readonly TransactionRow[], payments: RetrievedPayments): boolean | undefined {
  const confirmations = rows.filter(hasAllFields).flatMap(({ transaction, paymentIds }) => {
    const payment = payments.get(paymentIds[0] ?? '');
    if (payment === undefined) return [];
    const isSamePurpose = compareText(payment.purpose ?? undefined, transaction.reference) === 'same';
    const isSameCurrency = transaction.currency === payment.from_currency;
    return [isSamePurpose && isSameCurrency && Math.abs(transaction.amount) >= payment.send_amount];
  });
  return confirmations.length === 0 ? undefined : confirmations.every(Boolean);
}

/**
 * The time of a payment relative to the create. `recent`: the create can have made it. `unclear`: the create
 * can have made it if the clocks differ by up to `clockSkew`, or the time is unreadable. `older`: another
 * create made it, unless the clocks differ by more.
 */
export type Age = 'recent' | 'unclear' | 'older';

/**
 * Tolerance for timestamps cut to whole seconds and for clock differences between machines of the service, in
 * milliseconds.
 */
const TIMESTAMP_TOLERANCE = 1_000;
/** The assumed difference between two clocks without an estimate, in milliseconds. */
const ASSUMED_SKEW = 2_000;

/**
 * Returns the times that the payment of a create can have. `start` is the earliest expected time of a record, by the clock of
 * the service. If it `isCertain`, it is based on that clock, and the search may end there.
 */
function createWindow(
  { sentAt, clockSkew }: Pick<WantedPayment, 'sentAt' | 'clockSkew'>,
  { getLowOffset, clock }: AccountReader,
) {
  // A time in the future is from another clock. Its difference to the clock of the service is unknown.
  const low = sentAt > clock.date().getTime() ? undefined : getLowOffset();
  const isCertain = low !== undefined;
  const recent = sentAt + (isCertain ? low - TIMESTAMP_TOLERANCE : -Math.min(ASSUMED_SKEW, clockSkew));
  const start = (isCertain ? recent : sentAt) - clockSkew;
  return {
    start,
    isCertain,
    getAge: ({ created_at }: Payment): Age => {
      const time = readTime(created_at);
      if (time >= recent) return 'recent';
      return time < (isCertain ? recent : start) ? 'older' : 'unclear';
    },
  };
}
