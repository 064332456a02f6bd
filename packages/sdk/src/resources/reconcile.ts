import { isNotFoundError, isPermissionError } from '../errors/guards.ts';
import type { BindResult } from '../intents/bind.ts';
import type { RecalledIntent } from '../intents/guard-types.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { isMasked } from '../values/beneficiary.ts';
import type { Payment } from '../values/models.ts';
import {
  type BeneficiaryComparisons,
  compareBeneficiary,
  type Evidence,
  type Match,
  matchPayment,
} from './payment-match.ts';
import { readWanted, type ReconcileOptions, type Wanted } from './reconcile-input.ts';
import { searchRecords, type SearchTools } from './record-search.ts';
import type { Age } from './time-window.ts';

/**
 * What the records of the account say about a create. `found`: this is the payment. `ambiguous`: each of these payments may be it,
 * and a person has to decide; `evidence` is the strongest among them. `not_found_yet`: there is no record of it so far; it can
 * still appear. `cannot_tell`: records that may be of it do not lead to a payment. None of them permits to create the payment
 * again.
 */
export type Reconciliation =
  | {
      readonly result: 'found';
      readonly payment: Payment;
      readonly evidence: Extract<Evidence, 'id' | 'purpose+beneficiary'>;
    }
  | {
      readonly result: 'ambiguous';
      /** The strongest evidence first. */
      readonly payments: readonly Payment[];
      readonly evidence: Exclude<Evidence, 'id'>;
    }
  | { readonly result: 'not_found_yet' }
  | { readonly result: 'cannot_tell' };

/** The part of the duplicate guard that reconciling uses. Each function returns undefined when the store fails. */
export interface ReconcileGuard {
  readonly holders: (paymentIds: readonly string[]) => Promise<ReadonlyMap<string, string> | undefined>;
  readonly recall: (reference: string) => Promise<RecalledIntent | undefined>;
  /** Whether another reference has the same body and may have a payment without a known id. True when the store fails. */
  readonly hasTwin: (reference: string) => Promise<boolean>;
  readonly resolve: (reference: string, paymentId: string) => Promise<BindResult | undefined>;
}

/** The calls of a client that reconciling uses. */
export interface ReconcileTools extends Omit<SearchTools, 'listHeld'> {
  /** Retrieves a payment that a create returned: a 404 is retried for some seconds, because reads may lag. */
  readonly retrieveCreated: (id: string, options: CallOptions) => Promise<Payment>;
  readonly guard: ReconcileGuard | undefined;
}

/** Looks for the payment of a create. See `payments.reconcile`. */
export async function reconcile(
  lost: unknown,
  options: ReconcileOptions | undefined,
  tools: ReconcileTools,
): Promise<Reconciliation> {
  const wanted = readWanted(lost, options);
  const { reference, salvagedId } = wanted;
  if (salvagedId !== undefined) return retrieveKnown(salvagedId, wanted, { ...tools, record: undefined });
  const record = reference === undefined ? undefined : await tools.guard?.recall(reference);
  if (record?.paymentId !== undefined) return retrieveKnown(record.paymentId, wanted, { ...tools, record });
  return search(wanted, record, tools);
}

/** Retrieves the payment that the service itself named in its response to the create; no other one can be it. */
async function retrieveKnown(
  id: string,
  wanted: Wanted,
  { retrieveCreated, guard, echo, record }: ReconcileTools & { readonly record: RecalledIntent | undefined },
): Promise<Reconciliation> {
  const { exclude, reference, signal } = wanted;
  if (exclude.includes(id)) return { result: 'cannot_tell' };
  try {
    const payment = await retrieveCreated(id, { signal });
    const beneficiary = await compareTo(payment, wanted, { record, echo });
    // A refusal of a repeated key can name the payment of another body.
    if (!matchPayment(payment, wanted, { beneficiary, echo })?.isSameBeneficiary)
      return { result: 'cannot_tell' };
    const isTaken = (await bind(reference, id, guard)) === 'id_taken';
    return isTaken ? { result: 'cannot_tell' } : { result: 'found', payment, evidence: 'id' };
  } catch (error) {
    if (isNotFoundError(error) || isPermissionError(error)) return { result: 'cannot_tell' };
    throw error;
  }
}

async function bind(
  reference: string | undefined,
  id: string,
  guard: ReconcileGuard | undefined,
): Promise<BindResult | undefined> {
  return reference === undefined ? undefined : guard?.resolve(reference, id);
}

async function search(
  wanted: Wanted,
  record: RecalledIntent | undefined,
  tools: ReconcileTools,
): Promise<Reconciliation> {
  const { guard, echo } = tools;
  const { reference } = wanted;
  const listHeld = async (ids: readonly string[]): Promise<ReadonlySet<string> | undefined> => {
    const holders = guard ? await guard.holders(ids) : new Map<string, string>();
    return holders && new Set(ids.filter((id) => holders.has(id) && holders.get(id) !== reference));
  };
  // Asked before the ids that others hold: a payment whose create ends in between is held then.
  const hasTwin = reference !== undefined && guard !== undefined && (await guard.hasTwin(reference));
  const { payments, isIncomplete, window } = await searchRecords(wanted, { ...tools, listHeld });
  let matches: DatedMatch[] = [];
  for (const payment of payments) {
    const age = window.getAge(payment.created_at);
    const beneficiary = await compareTo(payment, wanted, { record, echo });
    const match = matchPayment(payment, wanted, { beneficiary, echo });
    if (match) matches.push({ ...match, age });
  }
  for (;;) {
    const verdict = judge(matches, { isIncomplete, hasTwin });
    if (verdict.result !== 'found') return verdict;
    const { id } = verdict.payment;
    if ((await bind(reference, id, guard)) !== 'id_taken') return verdict;
    // Another process bound this payment to another reference since the guard was asked.
    matches = matches.filter(({ payment }) => payment.id !== id);
  }
}

type DatedMatch = Match & { readonly age: Age };

const evidenceOrder = ['purpose+beneficiary', 'purpose', 'amount'] as const satisfies readonly Evidence[];

function judge(
  matches: readonly DatedMatch[],
  { isIncomplete, hasTwin }: { readonly isIncomplete: boolean; readonly hasTwin: boolean },
): Reconciliation {
  const sorted = matches.toSorted(
    (a, b) => evidenceOrder.indexOf(a.evidence) - evidenceOrder.indexOf(b.evidence),
  );
  const rivals = sorted.filter(
    ({ age, isSameBeneficiary, isOtherPurpose }) => isSameBeneficiary && !isOtherPurpose && age !== 'older',
  );
  const [only, second] = rivals;
  const isSettled = !isIncomplete && !hasTwin;
  if (only && !second && isSettled && only.age === 'recent' && only.evidence === 'purpose+beneficiary')
    return { result: 'found', payment: only.payment, evidence: only.evidence };
  const [strongest] = sorted;
  if (strongest) {
    const payments = sorted.map(({ payment }) => payment);
    return { result: 'ambiguous', payments, evidence: strongest.evidence };
  }
  return { result: isIncomplete ? 'cannot_tell' : 'not_found_yet' };
}

/** Compares the beneficiary of a payment with the one that was sent: by the error, or else by the record of the guard. */
async function compareTo(
  payment: Payment,
  { beneficiary }: Wanted,
  { record, echo }: { readonly record: RecalledIntent | undefined; readonly echo: SearchTools['echo'] },
): Promise<BeneficiaryComparisons> {
  if (beneficiary) return compareBeneficiary(beneficiary, payment, echo);
  const { name, account } = (payment.beneficiary ?? {}) as Partial<Payment['beneficiary']>;
  if (record === undefined || !name) return {};
  const compared = await record.compareBeneficiary({ name, account: account ?? undefined });
  return {
    name: isMasked(name) ? 'not_comparable' : compared.name,
    account: account && isMasked(account) ? 'not_comparable' : compared.account,
  };
}
