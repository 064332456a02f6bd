import { isServiceError } from '../errors/service-error.ts';
import { misuse, refuse } from '../errors/refuse.ts';
import type { SentBeneficiary } from '../errors/payment-outcome-unknown.ts';
import { abortSignal, checkAll, count, type Rule } from '../options/check.ts';
import { listTakenAmounts, parseAmount } from '../values/amount.ts';
import { isRecord } from '../values/json.ts';
import type { PaymentInput } from '../values/models.ts';
import { currencyRule } from './body.ts';
import type { SentPayment } from './payment-match.ts';
import { addColon } from './time-window.ts';

/** The body of a create and the time of its request, for reconciling without the error: `{ ...body, since }`. */
export type PaymentIntent = {
  [Name in keyof Omit<PaymentInput, 'beneficiary_name' | 'purpose'>]: PaymentInput[Name];
} & {
  readonly purpose?: string | null | undefined;
  readonly beneficiary_name?: string | undefined;
  /** The time at which the create was sent, by the clock of the client. */
  readonly since: string | Date;
  /** The reference of the create, which the duplicate guard knows it by. */
  readonly reference?: string | undefined;
};

/** The options of `payments.reconcile`. */
export interface ReconcileOptions {
  /** Ends the search. `@default` none `@example` AbortSignal.timeout(10_000) */
  readonly signal?: AbortSignal | undefined;
  /**
   * Maximum difference of the clocks of client and service, in milliseconds, beyond the one that the `Date` headers of the service
   * show. `@default` 300000 `@example` 60_000
   */
  readonly clockSkew?: number | undefined;
  /** Ids of payments that other creates made. A duplicate guard excludes the ones it knows. `@default` none `@example` ['pay_live_…'] */
  readonly exclude?: readonly string[] | undefined;
}

/** The create to look for, and the limits of the search. */
export interface Wanted extends SentPayment {
  /** In milliseconds, by the clock of the client. */
  readonly sentAt: number;
  readonly clockSkew: number;
  readonly reference: string | undefined;
  /** The id in the response to the create itself. */
  readonly salvagedId: string | undefined;
  readonly exclude: readonly string[];
  readonly signal: AbortSignal | undefined;
}

const ids: Rule<readonly string[]> = [
  'a list of payment ids',
  (value) => (Array.isArray(value) && value.every((id) => typeof id === 'string') ? value : undefined),
];
const optionRules = {
  signal: abortSignal,
  clockSkew: count(Number.MAX_SAFE_INTEGER),
  exclude: ids,
} as const satisfies Record<keyof ReconcileOptions, Rule>;

const time: Rule<number> = [
  'a Date or an ISO 8601 time such as that of the error',
  (value) => {
    const date = typeof value === 'string' ? new Date(addColon(value)) : value;
    return date instanceof Date && !Number.isNaN(date.getTime()) ? date.getTime() : undefined;
  },
];
const text: Rule<string | null> = [
  'a string or null',
  (value) => (value === null || typeof value === 'string' ? value : undefined),
];
const amount: Rule<string> = ['', (value) => parseAmount(value, 15)];
const intentRules = {
  purpose: text,
  from_currency: currencyRule,
  to_currency: currencyRule,
  amount,
  beneficiary_name: text,
  beneficiary_bank: text,
  beneficiary_account: text,
  beneficiary_country: text,
  since: time,
  reference: text,
} as const satisfies Record<keyof PaymentIntent, Rule>;

/**
 * Reads the arguments of `payments.reconcile`.
 *
 * @throws {ValidationError} (`not_sent`) when a field is missing, unknown or wrong.
 * @throws {ConfigurationError} when an option is.
 */
export function readWanted(lost: unknown, options: unknown = {}): Wanted {
  const {
    clockSkew = 300_000,
    signal,
    exclude = [],
  } = checkAll(options, { what: 'The options of reconcile', rules: optionRules, refuse: misuse });
  const { intent, salvagedId, beneficiary } = toLost(lost);
  const given = checkAll(intent, { what: 'The argument of reconcile', rules: intentRules, refuse });
  const { purpose, from_currency, to_currency, since, reference } = given;
  if (!from_currency || !to_currency || !given.amount || since === undefined) {
    throw refuse('reconcile needs the error of a create, or { ...body, since }.');
  }
  return {
    purpose: purpose || null,
    from_currency,
    to_currency,
    amounts: listTakenAmounts(given.amount, from_currency),
    beneficiary: beneficiary ?? toBeneficiary(given),
    sentAt: since,
    clockSkew,
    reference: reference ?? undefined,
    salvagedId,
    exclude,
    signal,
  };
}

function toBeneficiary(
  given: Readonly<Record<`beneficiary_${keyof SentBeneficiary}`, string | null | undefined>>,
): SentBeneficiary | undefined {
  if (!given.beneficiary_name) return undefined;
  return {
    name: given.beneficiary_name,
    bank: given.beneficiary_bank ?? undefined,
    account: given.beneficiary_account ?? undefined,
    country: given.beneficiary_country ?? undefined,
  };
}

interface Lost {
  readonly intent: unknown;
  readonly salvagedId?: string | undefined;
  readonly beneficiary?: SentBeneficiary | undefined;
}

/** Picks the fields of the create from its error, or from the JSON of that error. */
function toLost(lost: unknown): Lost {
  if (!isRecord(lost) || (lost.sentAt ?? lost.failedAt) === undefined) {
    if (!isServiceError(lost)) return { intent: lost };
    throw refuse(
      'reconcile takes the PaymentOutcomeUnknownError of a create, and neither its cause nor another error.',
    );
  }
  const { purpose, from_currency, to_currency, amount: sent, reference, sentAt, since = sentAt } = lost;
  const intent = { purpose, from_currency, to_currency, amount: sent, reference, since };
  const traceRules = { salvagedId: text, beneficiary: beneficiaryRule } as const;
  const { salvagedId, getBeneficiary } = lost;
  const beneficiary: unknown = typeof getBeneficiary === 'function' ? getBeneficiary() : lost.beneficiary;
  const table = { what: 'The trace of a create', rules: traceRules, refuse };
  const trace = checkAll({ salvagedId, beneficiary }, table);
  return { intent, salvagedId: trace.salvagedId ?? undefined, beneficiary: trace.beneficiary };
}

const beneficiaryRule: Rule<SentBeneficiary> = [
  'an object with the name of the beneficiary',
  (value) =>
    isRecord(value) && typeof value.name === 'string' ? (value as unknown as SentBeneficiary) : undefined,
];
