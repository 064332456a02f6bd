import { comparePayment, listDifferences, showsNothing } from '../comparison.ts';
import type { Payment } from '../models.ts';
import { NotFoundError, PermissionError } from '../errors.ts';
import type { WantedPayment } from './input.ts';
import { type Match, matchPayment } from './match.ts';
import { type AccountReader, writeTime } from './reader.ts';
import { type Age, searchRecords } from './search.ts';

/**
 * The result of searching the account for the payment of a create. No result permits creating the payment
 * again.
 *
 * - `found`: this is the payment.
 * - `ambiguous`: each of these payments may be the one, and a person has to decide. `evidence` is the
 *   strongest among them.
 * - `not_found_yet`: no record of the payment exists so far. It can still appear.
 * - `cannot_tell`: records that may belong to the create do not lead to a payment, or the service may not show
 *   its newest records yet (`read_lag`).
 */
export type Reconciliation =
  | {
      /** The payment exists. Do not create it again. */
      readonly result: 'found';
      /** The payment of the create. */
      readonly payment: Payment;
      /** The fields by which the payment was recognized. */
      readonly evidence: 'id' | 'purpose+beneficiary';
    }
  | {
      /** Several payments may be the one. A person has to decide. */
      readonly result: 'ambiguous';
      /** The candidates, strongest evidence first. */
      readonly payments: readonly Payment[];
      /** The fields that the strongest candidate matches. */
      readonly evidence: 'purpose+beneficiary' | 'purpose' | 'amount';
      /**
       * The missing proof.
       *
       * - `several_payments`: more than one payment matches. Pass the ids of your other payments in `exclude`.
       * - `different_fields`: each payment shows another beneficiary or purpose. The service may have altered it.
       * - `unconfirmed_purpose`: the create had no purpose, the service hides or alters it, or another record of the
       *   account has a purpose that starts with it. Compare the payments.
       * - `unconfirmed_beneficiary`: the beneficiary is unknown, hidden or altered. Pass it, or compare it.
       * - `older_payment`: the only match is older than the create. Compare the times. With a mock, reconcile before you
       *   advance its clock.
       * - `unclear_time`: the service sends no `Date`, or the payment has no readable time. Compare `created_at`.
       * - `open_create`: another create that can have made the payment is undecided. Reconcile it first.
       * - `missing_exclude`: the payment can be that of another create. Pass the ids of your other payments in `exclude`.
       * - `unclear_records`: some records do not lead to a payment, or cannot be read. Check the account.
       */
      readonly reason:
        | 'several_payments'
        | 'different_fields'
        | 'unconfirmed_purpose'
        | 'unconfirmed_beneficiary'
        | 'older_payment'
        | 'unclear_time'
        | 'open_create'
        | 'missing_exclude'
        | 'unclear_records';
    }
  | {
      /** No record of the payment so far. It can still appear: search again later. */
      readonly result: 'not_found_yet';
      /** All records were read. Only a later search, or the service, can decide. */
      readonly reason: 'no_record';
    }
  | {
      /** Records exist that do not lead to a payment. A person has to look. */
      readonly result: 'cannot_tell';
      /** The records do not lead to a payment, although the `readLag` of the client has passed. */
      readonly reason: 'unclear_records';
    }
  | {
      /** The service may not show its newest records yet. */
      readonly result: 'cannot_tell';
      /** The last request is younger than the `readLag` of the client. */
      readonly reason: 'read_lag';
      /** The time from which a search is meaningful, as ISO 8601 in UTC by the clock of the client. */
      readonly searchAgainAt: string;
    };

type AmbiguityReason = Extract<Reconciliation, { result: 'ambiguous' }>['reason'];

/** The other creates that may have made the payments which a search finds. */
export interface OtherCreates {
  /** Returns those of the payments that other creates have. */
  readonly listHeld: (paymentIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Returns the times of other creates that can have made an equal payment whose id is not known. */
  readonly listTwins: () => Promise<readonly number[]>;
  /** Returns whether the payment can be that of another create, which the caller has to state. */
  readonly isShared?: (paymentId: string) => boolean;
  /** Records that the payment in a response to the create is that of another create. */
  readonly disown?: (paymentId: string) => Promise<void>;
  /** Records a found payment as that of the create. Returns false if another create has it. */
  readonly accept: (payment: Payment) => Promise<boolean>;
}

/** The result for records that do not lead to a payment. */
const unclear = { result: 'cannot_tell', reason: 'unclear_records' } as const satisfies Reconciliation;

/** Searches for the payment of a create. See `payments.reconcile`. */
export async function reconcile(
  given: WantedPayment,
  reader: AccountReader,
  others: OtherCreates,
): Promise<Reconciliation> {
  const known = await retrieveKnown(given, reader, others);
  if (known !== 'other') return known;
  const wanted = { ...given, paymentId: undefined };
  let twins: readonly number[] = [];
  const search = await searchRecords(wanted, reader, async (ids) => {
    // After the rows were read: their creates are recorded by now. Before the recorded ids: a payment whose
    // create ends in between is then among those ids.
    twins = await others.listTwins();
    return others.listHeld(ids);
  });
  const { payments, isIncomplete, getAge } = search;
  let matches = payments.flatMap((payment): DatedMatch[] => {
    const match = matchPayment(payment, wanted, search.listOtherPurposes(payment));
    if (match === undefined) return [];
    const hasTwin = twins.some((at) => getAge(payment, at) !== 'older');
    const isAlone = wanted.exclude !== undefined && others.isShared?.(payment.id) !== true;
    return [{ ...match, age: getAge(payment), hasTwin, isAlone }];
  });
  while (matches.length > 0) {
    const reconciliation = chooseResult(matches, isIncomplete);
    if (reconciliation.result !== 'found') return reconciliation;
    const { payment: found } = reconciliation;
    if (await others.accept(found)) return reconciliation;
    // Another process has recorded this payment for another reference in the meantime.
    matches = matches.filter(({ payment }) => payment.id !== found.id);
  }
  const visibleAt = wanted.failedAt + reader.readLag;
  if (reader.readAt.getTime() < visibleAt) {
    return { ...unclear, reason: 'read_lag', searchAgainAt: writeTime(visibleAt) };
  }
  return isIncomplete ? unclear : { result: 'not_found_yet', reason: 'no_record' };
}

/**
 * Retrieves the payment whose id a response to the create contained. Returns `other` if there is no such id, or if the
 * payment is that of another create.
 */
async function retrieveKnown(
  { paymentId, fields, exclude = [] }: WantedPayment,
  { retrieveCreated, signal }: AccountReader,
  others: OtherCreates,
): Promise<Reconciliation | 'other'> {
  if (paymentId === undefined) return 'other';
  if (exclude.includes(paymentId)) return unclear;
  try {
    const payment = await retrieveCreated(paymentId, { signal });
    const comparison = comparePayment(fields, payment);
    if (showsNothing(fields, comparison)) return unclear;
    // A rejection can contain the payment of another body, and a proxy can exchange responses.
    if (listDifferences(fields, comparison).length > 0) {
      await others.disown?.(paymentId);
      return 'other';
    }
    const isSameAmount = comparison.amount !== 'different';
    return isSameAmount && (await others.accept(payment))
      ? { result: 'found', payment, evidence: 'id' }
      : unclear;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof PermissionError) return unclear;
    throw error;
  }
}

type DatedMatch = Match & { readonly age: Age; readonly hasTwin: boolean; readonly isAlone: boolean };

/** Returns the result for some matches. */
function chooseResult(matches: readonly DatedMatch[], isIncomplete: boolean): Reconciliation {
  const sorted = (['purpose+beneficiary', 'purpose', 'amount'] as const).flatMap((evidence) =>
    matches.filter((match) => match.evidence === evidence),
  );
  const fitting = sorted.filter((match) => match.isSameBeneficiary && !match.isOtherPurpose);
  const [only, second] = fitting.filter(({ age }) => age !== 'older');
  let reason: AmbiguityReason;
  if (second) reason = 'several_payments';
  else if (!only) reason = fitting.length > 0 ? 'older_payment' : 'different_fields';
  else if (only.evidence === 'amount') reason = 'unconfirmed_purpose';
  else if (only.evidence === 'purpose') reason = 'unconfirmed_beneficiary';
  else if (only.age === 'unclear') reason = 'unclear_time';
  else if (only.hasTwin) reason = 'open_create';
  else if (!only.isAlone) reason = 'missing_exclude';
  else if (isIncomplete) reason = 'unclear_records';
  else return { result: 'found', payment: only.payment, evidence: only.evidence };
  const payments = sorted.map(({ payment }) => payment);
  return { result: 'ambiguous', payments, evidence: sorted[0]?.evidence ?? 'amount', reason };
}
