import { isNotFoundError, isPermissionError } from '../errors/guards.ts';
import type { CallOptions } from '../transport/request.ts';
import type { Payment } from '../values/models.ts';
import { compareBeneficiaryFields, type Evidence, type Match, matchPayment } from './payment-match.ts';
import type { WantedPayment } from './reconcile-input.ts';
import { searchRecords, type SearchContext } from './record-search.ts';
import type { Age } from './time-window.ts';

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
export type AmbiguityReason =
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

/** The operations of a client for reconciling. */
export interface ReconcileContext extends Omit<SearchContext, 'listHeld'> {
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
  return wanted.paymentId === undefined
    ? search(wanted, context)
    : retrieveKnown(wanted.paymentId, wanted, context);
}

/**
 * Retrieves the payment whose id the service returned for the create. No other payment can belong to the
 * create.
 */
async function retrieveKnown(
  id: string,
  wanted: WantedPayment,
  { retrieveCreated, others, echo }: ReconcileContext,
): Promise<Reconciliation> {
  const { exclude, signal } = wanted;
  if (exclude.includes(id)) return unclear;
  try {
    const payment = await retrieveCreated(id, { signal });
    // The rejection of a repeated idempotency key can contain the payment of another body.
    if (!matchWanted(payment, wanted, echo)?.isSameBeneficiary) return unclear;
    const isOwn = others === undefined || (await others.accept(payment));
    return isOwn ? { result: 'found', payment, evidence: 'id' } : unclear;
  } catch (error) {
    if (isNotFoundError(error) || isPermissionError(error)) return unclear;
    throw error;
  }
}

async function search(wanted: WantedPayment, context: ReconcileContext): Promise<Reconciliation> {
  const { others, echo, readAt = context.clock.date() } = context;
  let hasTwin = false;
  const listHeld = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    // After the rows were read: their creates are recorded by now. Before the recorded ids: a payment whose
    // create ends in between is then among those ids.
    hasTwin = others !== undefined && (await others.hasTwin());
    return others ? others.listHeld(ids) : new Set();
  };
  const { payments, isIncomplete, window } = await searchRecords(wanted, { ...context, listHeld });
  let matches = payments.flatMap((payment): DatedMatch[] => {
    const match = matchWanted(payment, wanted, echo);
    return match ? [{ ...match, age: window.getAge(payment.created_at) }] : [];
  });
  for (;;) {
    const reconciliation = chooseResult(matches, { isIncomplete, hasTwin });
    if (reconciliation === undefined)
      return explainMissing({ isIncomplete, readAt, visibleAt: wanted.failedAt + context.readLag });
    if (reconciliation.result !== 'found') return reconciliation;
    const { payment: found } = reconciliation;
    if (others === undefined || (await others.accept(found))) return reconciliation;
    // Another process has recorded this payment for another reference in the meantime.
    matches = matches.filter(({ payment }) => payment.id !== found.id);
  }
}

/** Returns the agreement of a payment with a create, or undefined for a payment that another create made. */
export function matchWanted(
  payment: Payment,
  wanted: WantedPayment,
  echo: ReconcileContext['echo'],
): Match | undefined {
  const { beneficiary: sent } = wanted;
  const beneficiary = sent ? compareBeneficiaryFields(sent, payment, echo) : {};
  return matchPayment(payment, wanted, { beneficiary, echo });
}

type DatedMatch = Match & { readonly age: Age };

const evidenceOrder = ['purpose+beneficiary', 'purpose', 'amount'] as const satisfies readonly Evidence[];

/** Returns the result for some matches, or undefined without any. */
function chooseResult(
  matches: readonly DatedMatch[],
  { isIncomplete, hasTwin }: { readonly isIncomplete: boolean; readonly hasTwin: boolean },
): Reconciliation | undefined {
  const sorted = matches.toSorted(
    (a, b) => evidenceOrder.indexOf(a.evidence) - evidenceOrder.indexOf(b.evidence),
  );
  const [strongest] = sorted;
  if (strongest === undefined) return undefined;
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
  return { result: 'ambiguous', payments, evidence: strongest.evidence, reason };
}

/** The latest time of a `Date`, in milliseconds. */
const MAX_TIME = 8.64e15;

interface FruitlessSearch {
  readonly isIncomplete: boolean;
  readonly readAt: Date;
  /** The time in milliseconds from which reads show the payment, if the create made one. */
  readonly visibleAt: number;
}

/** Returns the result of a search without a match. */
function explainMissing({ isIncomplete, readAt, visibleAt }: FruitlessSearch): Reconciliation {
  if (readAt.getTime() < visibleAt)
    return {
      ...unclear,
      reason: 'read_lag',
      searchAgainAt: new Date(Math.min(visibleAt, MAX_TIME)).toISOString(),
    };
  return isIncomplete ? unclear : { result: 'not_found_yet', reason: 'no_record' };
}
