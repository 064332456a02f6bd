import type { CallOptions } from '../options.ts';
import type { Payment } from '../models.ts';
import { NotFoundError, PermissionError } from '../errors.ts';
import type { WantedPayment } from './input.ts';
import { type Evidence, type Match, matchPayment } from './match.ts';
import { type Age, searchRecords, type SearchContext } from './search.ts';

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
      readonly evidence: Extract<Evidence, 'id' | 'purpose+beneficiary'>;
    }
  | {
      /** Several payments may be the one. A person has to decide. */
      readonly result: 'ambiguous';
      /** The candidates, strongest evidence first. */
      readonly payments: readonly Payment[];
      /** The fields that the strongest candidate matches. */
      readonly evidence: Exclude<Evidence, 'id'>;
      /** The missing proof. */
      readonly reason: AmbiguityReason;
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

/**
 * The missing proof of an `ambiguous` result.
 *
 * - `several_payments`: more than one payment matches. Pass the ids of your other payments in `exclude`.
 * - `different_fields`: each payment shows another beneficiary or purpose. The service may have altered it.
 * - `unconfirmed_purpose`: the create had no purpose, or the service hides or alters it. Compare the payments.
 * - `unconfirmed_beneficiary`: the beneficiary is unknown, hidden or altered. Pass it, or compare it.
 * - `older_payment`: the only match is older than the create. Compare the times. With a mock, reconcile before you
 *   advance its clock.
 * - `unclear_time`: the service sends no `Date`, or the payment has no readable time. Compare `created_at`.
 * - `open_create`: another create that can have made the payment is undecided. Reconcile it first.
 * - `unclear_records`: some records do not lead to a payment, or cannot be read. Check the account.
 */
type AmbiguityReason =
  | 'several_payments'
  | 'different_fields'
  | 'unconfirmed_purpose'
  | 'unconfirmed_beneficiary'
  | 'older_payment'
  | 'unclear_time'
  | 'open_create'
  | 'unclear_records';

/** The other creates that may have made the payments which a search finds. */
export interface OtherCreates {
  /** Returns those of the payments that other creates have. */
  readonly listHeld: (paymentIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Returns whether another create can have made an equal payment whose id is not known. */
  readonly hasTwin: () => Promise<boolean>;
  /** Records a found payment as that of the create. Returns false if another create has it. */
  readonly accept: (payment: Payment) => Promise<boolean>;
}

const noOthers: OtherCreates = {
  listHeld: async () => new Set(),
  hasTwin: async () => false,
  accept: async () => true,
};

/** The operations of a client for reconciling. */
export interface ReconcileContext extends SearchContext {
  /** Retrieves a payment that a create returned. Retries a 404 for `readLag`. */
  readonly retrieveCreated: (id: string, options: CallOptions) => Promise<Payment>;
  readonly others?: OtherCreates | undefined;
  /** Maximum time in milliseconds by which lists and payments lag behind creates. */
  readonly readLag: number;
  /**
   * The time of the first read of the search.
   *
   * @default the start of the search
   */
  readonly readAt?: Date | undefined;
}

/** The result for records that do not lead to a payment. */
const unclear = { result: 'cannot_tell', reason: 'unclear_records' } as const satisfies Reconciliation;

/** Searches for the payment of a create. See `payments.reconcile`. */
export async function reconcile(wanted: WantedPayment, context: ReconcileContext): Promise<Reconciliation> {
  if (wanted.paymentId !== undefined) return retrieveKnown(wanted.paymentId, wanted, context);
  const { others = noOthers, echo, clock, readLag, readAt = clock.date() } = context;
  let hasTwin = false;
  const { payments, isIncomplete, getAge } = await searchRecords(wanted, context, async (ids) => {
    // After the rows were read: their creates are recorded by now. Before the recorded ids: a payment whose
    // create ends in between is then among those ids.
    hasTwin = await others.hasTwin();
    return others.listHeld(ids);
  });
  let matches = payments.flatMap((payment): DatedMatch[] => {
    const match = matchPayment(payment, wanted, echo);
    return match ? [{ ...match, age: getAge(payment) }] : [];
  });
  while (matches.length > 0) {
    const reconciliation = chooseResult(matches, { isIncomplete, hasTwin });
    if (reconciliation.result !== 'found') return reconciliation;
    const { payment: found } = reconciliation;
    if (await others.accept(found)) return reconciliation;
    // Another process has recorded this payment for another reference in the meantime.
    matches = matches.filter(({ payment }) => payment.id !== found.id);
  }
  const visibleAt = wanted.failedAt + readLag;
  if (readAt.getTime() < visibleAt) {
    const searchAgainAt = new Date(Math.min(visibleAt, MAX_TIME)).toISOString();
    return { ...unclear, reason: 'read_lag', searchAgainAt };
  }
  return isIncomplete ? unclear : { result: 'not_found_yet', reason: 'no_record' };
}

/** The latest time of a `Date`, in milliseconds. */
const MAX_TIME = 8.64e15;

/**
 * Retrieves the payment whose id the service returned for the create. No other payment can belong to the
 * create.
 */
async function retrieveKnown(
  id: string,
  wanted: WantedPayment,
  { retrieveCreated, others = noOthers, echo }: ReconcileContext,
): Promise<Reconciliation> {
  if (wanted.exclude.includes(id)) return unclear;
  try {
    const payment = await retrieveCreated(id, { signal: wanted.signal });
    // The rejection of a repeated idempotency key can contain the payment of another body.
    const isSame = matchPayment(payment, wanted, echo)?.isSameBeneficiary === true;
    return isSame && (await others.accept(payment)) ? { result: 'found', payment, evidence: 'id' } : unclear;
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof PermissionError) return unclear;
    throw error;
  }
}

type DatedMatch = Match & { readonly age: Age };

/** Returns the result for some matches. */
function chooseResult(
  matches: readonly DatedMatch[],
  { isIncomplete, hasTwin }: { readonly isIncomplete: boolean; readonly hasTwin: boolean },
): Extract<Reconciliation, { readonly payment: Payment } | { readonly payments: readonly Payment[] }> {
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
  else if (hasTwin) reason = 'open_create';
  else if (isIncomplete) reason = 'unclear_records';
  else return { result: 'found', payment: only.payment, evidence: only.evidence };
  const payments = sorted.map(({ payment }) => payment);
  return { result: 'ambiguous', payments, evidence: sorted[0]?.evidence ?? 'amount', reason };
}
