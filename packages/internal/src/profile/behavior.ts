import type { Duration } from '../duration.ts';

/** A duration, or the shortest and the longest one: each payment or event has its own, derived from the seed. */
export type DurationRange = Duration | readonly [shortest: Duration, longest: Duration];

/** The time that payments spend in each status. */
export interface StatusDurations {
  /** The time until a payment is processed. One second if it is left out. */
  readonly pending?: DurationRange;
  /** The time until a payment is completed, or reviewed. Three seconds if it is left out. */
  readonly processing?: DurationRange;
  /** The time until a reviewed payment is completed. Three seconds if it is left out. */
  readonly under_review?: DurationRange;
  /** The time between the completion of a payment and its return. Five seconds if it is left out. */
  readonly completed?: DurationRange;
}

/** The outcomes of a payment. Each has a magic value, such as `SIM-FAIL-EARLY`. */
export const outcomes = [
  'ok',
  'fail',
  'fail_early',
  'return',
  'stuck',
  'pending',
  'instant',
  'hook_first',
  'hook_dup',
  'hook_shuffle',
  '500',
  'drop',
  'unavailable',
] as const;

/** The outcome of a payment. */
export type SimulatedOutcome = (typeof outcomes)[number];

/** A condition for a text. All given parts must match. */
export interface TextCondition {
  /** The whole text. */
  readonly equals?: string;
  /** The start of the text. */
  readonly prefix?: string;
  /** The end of the text, such as `'0000'`. */
  readonly suffix?: string;
}

/** A condition for the sent amount. All given parts must match. */
export interface AmountCondition {
  /** An amount as decimal text, such as `'66.60'`. */
  readonly equals?: string;
  /** The smallest amount. */
  readonly from?: string;
  /** The largest amount. */
  readonly to?: string;
  /** The end of the amount with two decimals, such as `'.13'`. */
  readonly suffix?: string;
}

/** A condition for payments. All given parts must match. */
export interface PaymentCondition {
  /** A condition for `beneficiary_account`. */
  readonly account?: TextCondition;
  /** A condition for `beneficiary_name`. */
  readonly name?: TextCondition;
  /** A condition for the sent amount, in its currency. */
  readonly amount?: AmountCondition;
}

/** The payments that have an outcome. Without a condition, all payments that no earlier rule matches. */
export interface OutcomeRule extends PaymentCondition {
  /** The end of these payments, such as `'fail'`. */
  readonly outcome: SimulatedOutcome;
}

/** A status that the document does not have, and the payments that pass through it. Without a condition, all payments. */
export interface ExtraStatus extends PaymentCondition {
  /** The name of the status, such as `'in_review'`. */
  readonly status: string;
  /** The status before it. */
  readonly after: 'pending' | 'processing';
  /** The time in this status. Three seconds if it is left out. */
  readonly duration?: DurationRange;
  /** Whether it sends a webhook event, as `payment.in_review`. It does if this is left out. */
  readonly webhook?: boolean;
}

/** Webhooks that come twice, in another order or late. */
export interface DeliveryFaults {
  /**
   * The probability that an event is sent twice, from 0 to 1.
   *
   * @default 0
   */
  readonly duplicates?: number;
  /**
   * The probability that an event is sent after the next one of its payment, from 0 to 1.
   *
   * @default 0
   */
  readonly reorder?: number;
  /**
   * The time between an event and its webhook.
   *
   * @default 0
   */
  readonly delay?: DurationRange;
}

/** The time by which reads are behind the payments, in sandbox time. */
export interface ReadLag {
  /** `GET /payments/{payment_id}`. A new payment is unknown for this time. */
  readonly payments?: Duration;
  /** `GET /balance`. */
  readonly balance?: Duration;
  /** `GET /transactions`. */
  readonly transactions?: Duration;
}

/** A number of requests per time window, for each account and mode. */
export interface ProfileRateLimit {
  /** The largest number of requests of a window. */
  readonly requests: number;
  /** The length of the window in sandbox time. */
  readonly window: Duration;
  /**
   * The only method whose requests count.
   *
   * @default all methods
   */
  readonly method?: 'GET' | 'POST';
}

/** The settings for the behavior of payments, webhooks and limits whose values are not a list of choices. */
export interface BehaviorSettings {
  /**
   * The time in each status: a duration, or the shortest and the longest one, of which each payment has its own;
   * `completed` is the time until a return; by default 1 s, 3 s, 3 s and 5 s.
   *
   * @group Payments
   * @sdk polls until a time limit that the caller sets
   * @values `{ pending?, processing?, under_review?, completed? }`
   * @example { pending: '500ms', processing: ['2s', '20s'] }
   */
  readonly durations: StatusDurations;
  /**
   * The outcomes of payments in test mode; the first rule that matches applies; a condition for the account or the
   * name has `equals`, `prefix` or `suffix`, one for the amount `equals`, `from`, `to` or `suffix`; an outcome is
   * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
   * `500`, `drop` or `unavailable`; by default the [magic values](magic-values.md).
   *
   * @group Payments
   * @sdk reports the final status, whatever its cause
   * @values `[{ account?, name?, amount?, outcome }]`
   * @example [{ account: { suffix: '0000' }, outcome: 'fail' }, { name: { equals: 'Fail Ltd' }, outcome:
   * 'fail_early' }, { amount: { from: '9000.00', to: '9999.99' }, outcome: 'stuck' }]
   */
  readonly outcomes: readonly OutcomeRule[];
  /**
   * Statuses that the document does not have, with the status before each of them (`pending` or `processing`), the
   * conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event.
   *
   * @group Payments
   * @sdk passes unknown statuses through as not final
   * @values `[{ status, after, account?, name?, amount?, duration?, webhook? }]`
   * @example [{ status: 'in_review', after: 'pending', amount: { from: '5000.00' }, duration: ['5s', '20s'] }]
   */
  readonly extraStatuses: readonly ExtraStatus[];
  /**
   * Eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one.
   *
   * @group Webhooks
   * @sdk responds 200
   * @values `default` `none`, or a list of durations
   * @example ['5s', '5s', '1m']
   */
  readonly retrySchedule: 'default' | 'none' | readonly Duration[];
  /**
   * The probabilities that an event is sent twice, and after the next event of its payment; and the time between an
   * event and its webhook, a duration or the shortest and the longest one.
   *
   * @group Webhooks
   * @sdk deduplicates, and orders events by status
   * @values `none`, or `{ duplicates?, reorder?, delay? }`
   * @example { duplicates: 0.3, reorder: 0.1, delay: ['0s', '2s'] }
   */
  readonly deliveryFaults: 'none' | DeliveryFaults;
  /**
   * The number of requests per time window, for each account and mode, of all methods or one; responses to others
   * lack headers with `{remaining}`; a limit that the control API sets replaces it.
   *
   * @group Responses
   * @sdk waits for `Retry-After`, else backs off
   * @values `none`, or `{ requests, window, method? }`
   * @example { requests: 20, window: '1s', method: 'POST' }
   */
  readonly rateLimit: 'none' | ProfileRateLimit;
  /**
   * The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
   * it; deposits and the control API have no lag.
   *
   * @group Responses
   * @sdk waits for the option `readLag` before it concludes that a payment does not exist
   * @values `{ payments?, balance?, transactions? }`
   * @example { payments: '500ms', balance: '2s', transactions: '5s' }
   */
  readonly readLag: ReadLag;
  /**
   * The real time before each response; 0 by default.
   *
   * @group Responses
   * @sdk ends an attempt at its timeout
   * @values a duration, or the shortest and the longest one
   * @example ['150ms', '900ms']
   */
  readonly latency: DurationRange;
}

/** The name of a setting for the behavior of payments, webhooks and limits. */
export type BehaviorSetting = 'hold' | 'returnRefund' | 'retryAfter' | keyof BehaviorSettings;

/** The default values of the settings that are not a list of choices. */
export const behaviorDefaults: BehaviorSettings = {
  durations: Object.freeze({ pending: '1s', processing: '3s', under_review: '3s', completed: '5s' }),
  outcomes: Object.freeze(
    outcomes.map((outcome) => Object.freeze({ account: { equals: toMagicValue(outcome) }, outcome })),
  ),
  extraStatuses: Object.freeze([]),
  retrySchedule: 'default',
  deliveryFaults: 'none',
  rateLimit: 'none',
  readLag: Object.freeze({}),
  latency: 0,
};

type Dashed<Text extends string> = Text extends `${infer Start}_${infer End}` ? `${Start}-${End}` : Text;

/** A beneficiary account that selects an outcome by default. */
export type MagicValue = `SIM-${Uppercase<Dashed<SimulatedOutcome>>}`;

/** Returns the beneficiary account that selects an outcome by default. */
export function toMagicValue(outcome: SimulatedOutcome): MagicValue {
  return `SIM-${outcome.toUpperCase().replace('_', '-')}` as MagicValue;
}
