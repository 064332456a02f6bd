import { abortSignal, duration, type Field, isRecord, parseObject, wholeNumber } from '@service/internal';
import type { Client } from '../client.ts';
import { createUsageError } from '../errors/error-classes.ts';
import { isAbortError } from '../errors/guards.ts';
import type { PaymentOutcomeUnknownError, PaymentTrace } from '../errors/payment-outcome-unknown.ts';
import { matchPayment, compareBeneficiaryFields } from '../reconcile/payment-match.ts';
import { findPaymentAccess, type PaymentAccess } from '../resources/payment-access.ts';
import { reconcile, type ReconcileGuard, type Reconciliation } from '../reconcile/reconcile.ts';
import {
  parseReconcileInput,
  type PaymentIntent,
  type ReconcileOptions,
  type WantedPayment,
} from '../reconcile/reconcile-input.ts';
import { createEchoRecord } from '../values/comparison.ts';
import type { Payment } from '../values/models.ts';
import { checkStore } from './checked-store.ts';
import type { IntentStore } from './intent.ts';
import { findHolders } from './recall.ts';
import { createSharedReads } from './shared-reads.ts';

/** Limits of the search, and payments to exclude. */
export interface ReconcileAllOptions extends ReconcileOptions {
  /**
   * Maximum time of the search in milliseconds. Creates that are not decided in time have no result.
   *
   * @default no limit
   * @example 30_000
   */
  readonly timeLimit?: number | undefined;
  /**
   * The payments that were retrieved, by id. Filled during the search. Pass the same map again to continue a
   * search that reached its limit.
   *
   * @default a new map
   */
  readonly progress?: Map<string, Payment> | undefined;
  /**
   * A store whose payment ids are excluded.
   *
   * @default none
   */
  readonly store?: IntentStore | undefined;
}

/** One result for each create. */
export interface ReconcileAllResult {
  /** The results in the order of the creates; undefined for a create that was not decided in time. */
  readonly results: readonly (Reconciliation | undefined)[];
  /** Whether every create has a result. */
  readonly isComplete: boolean;
}

const storeRule: Field<IntentStore> = {
  expected: 'an intent store',
  parse: (value) => (isRecord(value) ? (value as unknown as IntentStore) : undefined),
};
const mapRule: Field<Map<string, Payment>> = {
  expected: 'a Map',
  parse: (value) => (value instanceof Map ? value : undefined),
};
const idsRule: Field<readonly string[]> = {
  expected: 'a list of payment ids',
  parse: (value) => (Array.isArray(value) ? value : undefined),
};
const optionRules = {
  signal: abortSignal,
  clockSkew: wholeNumber(Number.MAX_SAFE_INTEGER),
  exclude: idsRule,
  timeLimit: duration,
  progress: mapRule,
  store: storeRule,
} as const satisfies Record<keyof ReconcileAllOptions, Field>;

/**
 * Searches the account for the payments of many creates with an unknown outcome, and reads the transactions
 * once. A payment that can belong to two of the creates is `ambiguous` for both. Only reads.
 *
 * @throws {ValidationError} (`not_sent`) when a create is not an argument of `payments.reconcile`.
 * @throws {ServiceError} when a read fails.
 * @example
 * const progress = new Map();
 * const { results } = await reconcileAll(client, errors, { timeLimit: 30_000, progress });
 */
export async function reconcileAll(
  client: Client,
  creates: readonly (PaymentOutcomeUnknownError | PaymentTrace | PaymentIntent)[],
  options?: ReconcileAllOptions,
): Promise<ReconcileAllResult> {
  const access = findPaymentAccess(client.payments);
  if (access === undefined)
    throw createUsageError(
      'reconcileAll: the first argument must be a client, the result of createClient().',
    );
  const { store: given, ...limits } = parseObject(options ?? {}, {
    name: 'The options of reconcileAll',
    fields: optionRules,
    createError: createUsageError,
  });
  const store = given && checkStore(given, access.search.clock, { owner: 'createPayer' });
  const { clockSkew, exclude } = limits;
  const searched = creates.map((input, index) => {
    const wanted = parseReconcileInput(input, { clockSkew, exclude });
    // A reference switches the checks of the guard on.
    return { ...wanted, reference: wanted.reference ?? `#${index}` };
  });
  const bound = new Map<string, number>();
  return reconcileBatch(
    searched.map((wanted, index) => ({
      wanted,
      guard: {
        holders: (ids) => (store ? findHolders(store, ids) : Promise.resolve(new Map())),
        recall: () => Promise.resolve(undefined),
        hasTwin: () =>
          Promise.resolve(searched.some((other, at) => at !== index && canBeSame(wanted, other))),
        resolve: (_, id) => {
          const holder = bound.get(id) ?? index;
          bound.set(id, holder);
          return Promise.resolve(holder === index ? 'bound' : 'id_taken');
        },
      },
    })),
    { access, signal: limits.signal, timeLimit: limits.timeLimit, progress: limits.progress },
  );
}

/** A create, and the records of its reference. */
export interface BatchItem {
  readonly wanted: WantedPayment;
  readonly guard: ReconcileGuard;
}

/** The limits of a batch. Times are in milliseconds. */
export interface BatchOptions {
  readonly access: PaymentAccess;
  readonly signal?: AbortSignal | undefined;
  readonly timeLimit?: number | undefined;
  readonly progress?: Map<string, Payment> | undefined;
  /** Called after each page of transactions that was read. */
  readonly onPage?: () => void;
}

/** Reconciles creates one after the other, newest first, over shared reads. */
export async function reconcileBatch(
  items: readonly BatchItem[],
  { access, signal, timeLimit = Infinity, progress = new Map(), onPage }: BatchOptions,
): Promise<ReconcileAllResult> {
  const { clock } = access.search;
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const cancelTimer = timeLimit < Infinity ? clock.schedule(stop, timeLimit) : undefined;
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const reads = createSharedReads(access.search, { signal: limit.signal, payments: progress, onPage });
  const results: (Reconciliation | undefined)[] = items.map(() => undefined);
  const order = items.map((item, index) => ({ ...item, index }));
  order.sort((a, b) => b.wanted.sentAt - a.wanted.sentAt);
  try {
    for (const { wanted, guard, index } of order) {
      if (limit.signal.aborted) break;
      results[index] = await reconcile({ ...wanted, signal: limit.signal }, { ...reads, guard });
    }
  } catch (error) {
    if (!limit.signal.aborted || !isAbortError(error)) throw error;
  } finally {
    cancelTimer?.();
    signal?.removeEventListener('abort', stop);
  }
  return { results, isComplete: !results.includes(undefined) };
}

/** Returns whether the payment of one create can look like the payment of another one. */
export function canBeSame(one: WantedPayment, other: WantedPayment): boolean {
  if (one.from_currency !== other.from_currency || one.to_currency !== other.to_currency) return false;
  if (!one.amounts.some((amount) => other.amounts.includes(amount))) return false;
  return matchesAs(one, other) || matchesAs(other, one);
}

const unknownEcho = createEchoRecord();

/** Returns whether a payment with the fields of `shown` would match `wanted`. */
function matchesAs(wanted: WantedPayment, shown: WantedPayment): boolean {
  const { from_currency, to_currency, purpose, beneficiary } = shown;
  if (!wanted.beneficiary || !beneficiary) return true;
  const { name, bank = null, account = null, country = null } = beneficiary;
  return shown.amounts.some((amount) => {
    const payment = {
      from_currency,
      to_currency,
      purpose,
      send_amount: Number(amount),
      beneficiary: { name, bank, account, country },
    } as unknown as Payment;
    const fields = compareBeneficiaryFields(wanted.beneficiary ?? { name }, payment, unknownEcho);
    const match = matchPayment(payment, wanted, { beneficiary: fields, echo: unknownEcho });
    return match !== undefined && match.isSameBeneficiary && !match.isOtherPurpose;
  });
}
