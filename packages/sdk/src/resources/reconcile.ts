import { abortSignal, checkAll, count, type Rule } from '../options/check.ts';
import { isNotFoundError, isPermissionError, isValidationError } from '../errors/guards.ts';
import { misuse, refuse } from '../errors/refuse.ts';
import { parseAmount } from '../values/amount.ts';
import { isRecord } from '../values/json.ts';
import { isServiceError } from '../errors/service-error.ts';
import type { Payment, Transaction } from '../values/models.ts';
import { currencyRule } from './body.ts';
import type { CallOptions } from '../transport/call-options.ts';

/** Says what a create asked for, where the error of it is not at hand: `since` is when it was sent. */
export type PaymentIntent = {
  readonly purpose?: string | null | undefined;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly amount: number | string;
  readonly since: string | Date;
  /** Names the create to the duplicate guard, which is told when its payment is found. */
  readonly reference?: string | undefined;
};

/** Lists what reconciling can be told. */
export type ReconcileOptions = {
  /** Ends the search at once. Default: none. Example: `AbortSignal.timeout(10_000)`. */
  readonly signal?: AbortSignal | undefined;
  /** Says how many milliseconds the clocks of client and service may differ. Default: 300000. Example: `60_000`. */
  readonly clockSkew?: number | undefined;
};

/**
 * Says what became of a create, as far as the records show. `found`: this is the payment. `ambiguous`: several payments could
 * be it, or an older one looks the same. `not_found_yet`: no record of it so far; it can still come. `cannot_tell`: records
 * that could be it do not name their payment. None of them is leave to create the payment again.
 */
export type Reconciliation =
  | { readonly result: 'found'; readonly payment: Payment }
  | { readonly result: 'ambiguous'; readonly payments: readonly Payment[] }
  | { readonly result: 'not_found_yet' }
  | { readonly result: 'cannot_tell' };

/** Reads the records of the account, as the resources of a client do. */
type Tools = {
  readonly retrieve: (id: string, options: CallOptions) => Promise<Payment>;
  readonly list: (query: { readonly per_page: number }, options: CallOptions) => AsyncIterable<Transaction>;
};

/** Holds what is looked for; `since` in milliseconds, the difference of the clocks taken off. */
type Wanted = {
  readonly purpose: string | null;
  readonly from_currency: string;
  readonly to_currency: string;
  readonly amount: number;
  readonly since: number;
  readonly signal: AbortSignal | undefined;
};

type Lost = Omit<PaymentIntent, 'since'> & {
  readonly since?: PaymentIntent['since'];
  readonly sentAt?: string;
  readonly salvagedId?: string | undefined;
};

/** Looks for the payment of a create. See `payments.reconcile`. */
export async function reconcile(
  lost: Lost,
  options: ReconcileOptions | undefined,
  tools: Tools,
): Promise<Reconciliation> {
  const wanted = readWanted(lost, options);
  const salvaged = lost.salvagedId ? await look(lost.salvagedId, wanted, tools) : undefined;
  // The answer to the create itself showed this id, so nothing else has to agree.
  if (salvaged) return { result: 'found', payment: salvaged };
  const { ids, hasBlind } = await findIds(wanted, tools);
  let blind = hasBlind;
  const payments: Payment[] = [];
  for (const id of ids) {
    const payment = await look(id, wanted, tools).catch((error: unknown) => {
      // Named by what is no id to look up, so it is not known which payment it is.
      if (!isValidationError(error) || error.outcome !== 'not_sent') throw error;
      blind = true;
    });
    if (payment && isMatch(payment, wanted)) payments.push(payment);
  }
  return judge(payments, blind, wanted);
}

function judge(payments: readonly Payment[], blind: boolean, wanted: Wanted): Reconciliation {
  const [payment, ...more] = payments.filter((one) => isRecent(one, wanted));
  if (payment !== undefined && more.length === 0 && !blind) return { result: 'found', payment };
  if (payments.length > 0) return { result: 'ambiguous', payments };
  return { result: blind ? 'cannot_tell' : 'not_found_yet' };
}

/** Collects the payments that records of the right currency and amount name, and whether such a record names none. */
async function findIds(
  wanted: Wanted,
  { list }: Tools,
): Promise<{ ids: ReadonlySet<string>; hasBlind: boolean }> {
  const ids = new Set<string>();
  let hasBlind = false;
  for await (const row of list({ per_page: 100 }, { signal: wanted.signal })) {
    if (!couldBe(row, wanted)) continue;
    if (typeof row.payment_id === 'string') ids.add(row.payment_id);
    else if (row.type === 'payment' && isRecent(row, wanted)) hasBlind = true;
  }
  return { ids, hasBlind };
}

/** Tells whether a record can be the debit of the payment; a fee on top makes it larger than the amount. */
function couldBe({ type, currency, amount, reference }: Transaction, wanted: Wanted): boolean {
  if (type === 'deposit' || type === 'refund' || type === 'adjustment') return false;
  if (currency !== wanted.from_currency || Math.abs(amount) < wanted.amount) return false;
  return typeof reference !== 'string' || isSame(reference, wanted.purpose);
}

function isMatch(payment: Payment, wanted: Wanted): boolean {
  const { from_currency, to_currency, send_amount, purpose } = payment;
  const isAsked = from_currency === wanted.from_currency && to_currency === wanted.to_currency;
  return isAsked && send_amount === wanted.amount && isSame(purpose ?? null, wanted.purpose);
}

function isSame(purpose: string | null, wanted: string | null): boolean {
  return purpose?.trim() === wanted?.trim();
}

/** Tells whether a record is not older than the create; one whose time cannot be read may be. */
function isRecent({ created_at }: { readonly created_at: string }, { since }: Wanted): boolean {
  return !(toTime(created_at) < since);
}

/** Reads a timestamp in any of the forms of contract.md 8; `Date` does not know an offset without a colon everywhere. */
function toTime(text: string | Date): number {
  return text instanceof Date ? text.getTime() : Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

async function look(id: string, { signal }: Wanted, { retrieve }: Tools): Promise<Payment | undefined> {
  try {
    return await retrieve(id, { signal });
  } catch (error) {
    if (isNotFoundError(error) || isPermissionError(error)) return undefined;
    throw error;
  }
}

const optionRules = {
  signal: abortSignal,
  clockSkew: count(Number.MAX_SAFE_INTEGER),
} as const satisfies Record<keyof ReconcileOptions, Rule>;

const time: Rule<number> = [
  'a Date or an ISO 8601 time such as that of the error',
  (value) => {
    const at = typeof value === 'string' || value instanceof Date ? toTime(value) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  },
];
const text: Rule<string | null> = [
  'a string or null',
  (value) => (value === null || typeof value === 'string' ? value : undefined),
];
const intentRules = {
  purpose: text,
  from_currency: currencyRule,
  to_currency: currencyRule,
  amount: ['', (value) => Number(parseAmount(value, 15))],
  since: time,
  reference: text,
} as const satisfies Record<keyof PaymentIntent, Rule>;

function readWanted(lost: unknown, options: unknown = {}): Wanted {
  const { clockSkew = 300_000, signal } = checkAll(options, {
    what: 'The options of reconcile',
    rules: optionRules,
    refuse: misuse,
  });
  const table = { what: 'What reconcile looks for', rules: intentRules, refuse };
  const { purpose, from_currency, to_currency, amount, since } = checkAll(toIntent(lost), table);
  if (!from_currency || !to_currency || !amount || since === undefined) {
    throw refuse(
      'reconcile needs the error of a create, or { from_currency, to_currency, amount, purpose, since }.',
    );
  }
  return { purpose: purpose || null, from_currency, to_currency, amount, since: since - clockSkew, signal };
}

/** Takes from the error of a create, or from what was kept of it as JSON, what was asked for. */
function toIntent(lost: unknown): unknown {
  if (!isRecord(lost) || (lost.sentAt ?? lost.failedAt) === undefined) {
    if (!isServiceError(lost)) return lost;
    throw refuse(
      'reconcile takes the PaymentOutcomeUnknownError of a create, and neither its cause nor another error.',
    );
  }
  const { purpose, from_currency, to_currency, amount, sentAt, since = sentAt } = lost;
  return { purpose, from_currency, to_currency, amount, since };
}
