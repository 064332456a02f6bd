// Generated from the table of the settings by `npm run generate`. Do not edit.
import type { DeliveryFaults, Duration, DurationRange, FeeRule, HeaderSettings, OutcomeRule, PageExample, ProfileRateLimit, RateSettings, ReadLag, RefusalSettings, RowExamples, TimestampForm } from '@service/internal';

/** A profile: one value for each question that the service's document leaves open, with the names of its examples, where they have one. */
export interface NamedProfile {
/** The HTTP statuses of a quote, a created payment and a replayed create, which by default has the one of the create. */
readonly successStatus: { 
/** The HTTP status of a quote.
 * 
 * @default 200 */
readonly createQuote: 200 | 201; 
/** The status of a created payment.
 * 
 * @default 201 */
readonly createPayment: 200 | 201 | 202; 
/** The status of a replayed create.
 * 
 * @default 'created' */
readonly replayPayment: "created" | 200; };

/** An absent optional text: null, no field, or empty text.
 * 
 * @default 'null' */
readonly absent: "empty" | "null" | "omit";

/** The form of money and rates: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles. With `stringRate` only rates are text, with `numberRate` only money is.
 * 
 * @default 'number' */
readonly numbers: "floatTail" | "number" | "numberRate" | "string" | "stringRate";

/** `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }`. */
readonly timestamps: "compactOffset" | "fraction" | "offset" | "zulu" | TimestampForm;

/** The response to `all` refusals, and to those that differ, such as `unknown_payment` (all names). A
 * field that is left out is that of a similar refusal, of `all`, or as documented. A body is an example, or text such as an HTML page. */
readonly refusals: RefusalSettings;

/** Constant headers of `all` responses, those of `createQuote`, `createPayment`, `replayPayment`, `getPayment`,
 * `getBalance` or `listTransactions`, and of webhooks as `event`; null removes a header of a response. */
readonly headers: HeaderSettings;

/** The number of requests per time window, for each account and mode, of all methods or one. */
readonly rateLimit: "none" | ProfileRateLimit;

/** The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
 * 
 * @default 'seconds' */
readonly retryAfter: "date" | "seconds";

/** The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
 * it; deposits and the control API have no lag. */
readonly readLag: ReadLag;

/** Two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one.
 * 
 * @default 'reject' */
readonly bothKeys: "apiKey" | "bearer" | "either" | "reject";

/** Similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path; and an unknown path with
 * an invalid key: 401, or 404. A text is `similar`. */
readonly paths: { 
/** Paths such as `/balance/`.
 * 
 * @default 'strict' */
readonly similar: "lenient" | "redirect" | "strict"; 
/** An unknown path with an invalid key.
 * 
 * @default 'authenticated' */
readonly unknown: "authenticated" | "public"; };

/** The request body: the media types, only `application/json`, else 415, or any; a body that is not JSON (or JSON that
 * is not an object): refused, or read as an empty object; whether it is refused after or before an invalid key; and
 * unknown fields. */
readonly requestBody: { 
/** The accepted `Content-Type`.
 * 
 * @default 'json' */
readonly mediaTypes: "any" | "json"; 
/** A body that is not JSON.
 * 
 * @default 'reject' */
readonly malformed: "empty" | "reject"; 
/** Whether a malformed body is refused after or before an invalid key.
 * 
 * @default 'afterKey' */
readonly checked: "afterKey" | "beforeKey"; 
/** A body with other fields.
 * 
 * @default 'ignore' */
readonly unknownFields: "ignore" | "reject"; };

/** The smallest and the largest amount to send; an amount as decimal text, such as `"10.00"`: 422, or read as the number;
 * and an amount with more decimals than its currency has: `round` to the nearest, and half to even with `rounding:
 * half_even`; `roundQuotes` and `truncateQuotes` only in quotes, and rejected in payments. */
readonly amounts: { 
/** The smallest amount.
 * 
 * @default '0.01' */
readonly minimum: string; 
/** The largest amount.
 * 
 * @default '999999999.99' */
readonly maximum: string; 
/** An amount as decimal text, such as `"10.00"`.
 * 
 * @default 'reject' */
readonly text: "accept" | "reject"; 
/** An amount with more decimals than its currency has.
 * 
 * @default 'reject' */
readonly precision: "reject" | "round" | "roundQuotes" | "truncate" | "truncateQuotes"; };

/** The maximum number of characters of a text, else 422; an empty or blank optional text: 422, kept, or treated as if
 * absent; and a number as text: 422, or read as `"5"`. */
readonly texts: { 
/** The maximum number of characters.
 * 
 * @default 255 */
readonly limit: number; 
/** An optional text that is empty or blank.
 * 
 * @default 'reject' */
readonly empty: "absent" | "keep" | "reject"; 
/** A number in place of a text.
 * 
 * @default 'reject' */
readonly number: "accept" | "reject"; };

/** The supported currencies: the 46 of the mock, or codes such as `EUR USD`, others are rejected with 422; `usd`:
 * rejected, or read as `USD`; and a quote or payment from a currency to itself. A text is `codes`. */
readonly currencies: { 
/** The supported currencies: those of the mock, or codes such as `EUR USD`.
 * 
 * @default 'default' */
readonly codes: string; 
/** A code such as `usd`.
 * 
 * @default 'strict' */
readonly case: "normalise" | "strict"; 
/** A quote or payment from a currency to itself.
 * 
 * @default 'allow' */
readonly same: "allow" | "reject"; };

/** A second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response
 * even to another request.
 * 
 * @default 'replayed' */
readonly idempotency: "conflict" | "ignored" | "replayed" | "replayedAny";

/** Two decimals for every currency, or none for JPY and the others that have none.
 * 
 * @default 'two' */
readonly minorUnits: "iso" | "two";

/** The rounding of half a hundredth.
 * 
 * @default 'half_up' */
readonly rounding: "down" | "half_even" | "half_up";

/** The fee: `percent` of the sent amount plus `flat`, within `minimum` and `maximum`; `mode` is `inside` the amount (the
 * default) or `onTop` of it; `rounding` is `up`, `down`, `half_up` or `half_even`, and without it that of the setting
 * `rounding`; `{ "percent": "0.5" }` by default. */
readonly fees: FeeRule;

/** The rates: those of some pairs as a quote shows them, and the share that is deducted from the rates of other pairs. A
 * pair without a rate has that of its inverse, or of both currencies to USD. */
readonly rates: RateSettings;

/** The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
 * GBP, or others. */
readonly wallets: "default" | Readonly<Record<string, string>>;

/** The status with which the wallet is debited, and whether a payment reserves its funds until a later debit; without a
 * hold, a debit without funds makes the payment fail. A text is `status`. */
readonly debitAt: { 
/** The status with which the wallet is debited.
 * 
 * @default 'create' */
readonly status: "completed" | "create" | "processing"; 
/** Whether a payment reserves its funds until then.
 * 
 * @default 'reserve' */
readonly hold: "none" | "reserve"; };

/** The refund of a failed payment, and of a completed one that is returned: the same, or another one. A text is `failed`. */
readonly refund: { 
/** The refund of a payment that fails before it is completed.
 * 
 * @default 'full' */
readonly failed: "full" | "lessFee" | "none"; 
/** The refund of a completed payment that fails.
 * 
 * @default 'same' */
readonly returned: "full" | "lessFee" | "none" | "same"; };

/** The path of a payment, through processing to completed or directly, and the time in each status: a duration, or the
 * shortest and the longest one, of which each payment has a different one. A text is `path`. */
readonly statuses: { 
/** From pending through processing to completed, or directly to completed.
 * 
 * @default 'walk' */
readonly path: "skip" | "walk"; 
/** The time until a payment is processed.
 * 
 * @default '1s' */
readonly pending: DurationRange; 
/** The time until a payment is completed.
 * 
 * @default '3s' */
readonly processing: DurationRange; 
/** The time between the completion of a payment and its return.
 * 
 * @default '5s' */
readonly completed: DurationRange; };

/** The outcomes of payments in test mode; the first rule that matches applies; one `*` in an
 * account, a name or an amount stands for any text; an outcome is
 * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
 * `500`, `drop` or `unavailable`; by default the magic values. */
readonly outcomes: ReadonlyArray<OutcomeRule>;

/** The rows that a payment leaves in the list at its `create`, `debit`, `completion`, `failure` and `refund`, and those
 * of a `deposit` and an `adjustment`: lists of example rows; by default one row of each movement with all fields, or
 * with id, type, status, currency, an amount without its sign, and time. */
readonly rows: "full" | "minimal" | RowExamples;

/** How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
 * an example: `{ body, link?, by?, parameter?, first? }`. */
readonly pagination: "array" | "cursor" | "laravel" | "link" | "page" | PageExample;

/** An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
 * rows, or 404; an unknown filter: 422, no rows, or all rows; and the order of the rows. */
readonly listQuery: { 
/** An invalid `page` or `per_page`.
 * 
 * @default 'reject' */
readonly page: "clamp" | "default" | "reject"; 
/** A page after the last one.
 * 
 * @default 'empty' */
readonly pastEnd: "empty" | "not_found"; 
/** An unknown `status` or `type`.
 * 
 * @default 'reject' */
readonly filter: "empty" | "ignore" | "reject"; 
/** The order of the rows.
 * 
 * @default 'newest' */
readonly order: "newest" | "oldest"; };

/** The statuses that send an event. */
readonly events: ReadonlyArray<"completed" | "failed" | "pending" | "processing">;

/** The statuses that acknowledge an event.
 * 
 * @default 200 */
readonly ack: "2xx" | 200;

/** Eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one. */
readonly retrySchedule: "default" | "none" | ReadonlyArray<Duration>;

/** The probabilities that an event is sent twice, and after the next event of its payment; and the time between an
 * event and its webhook, a duration or the shortest and the longest one. */
readonly deliveryFaults: "none" | DeliveryFaults;
}

/** Values for some profile settings. Other settings do not change, nor do fields that are left out of `successStatus`, `paths`, `requestBody`, `amounts`, `texts`, `currencies`, `debitAt`, `refund`, `statuses` and `listQuery`. */
export interface ProfileChoice {
/** The HTTP statuses of a quote, a created payment and a replayed create, which by default has the one of the create. */
readonly successStatus?: { 
/** The HTTP status of a quote.
 * 
 * @default 200 */
readonly createQuote?: 200 | 201; 
/** The status of a created payment.
 * 
 * @default 201 */
readonly createPayment?: 200 | 201 | 202; 
/** The status of a replayed create.
 * 
 * @default 'created' */
readonly replayPayment?: "created" | 200; };

/** An absent optional text: null, no field, or empty text.
 * 
 * @default 'null' */
readonly absent?: "empty" | "null" | "omit";

/** The form of money and rates: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles. With `stringRate` only rates are text, with `numberRate` only money is.
 * 
 * @default 'number' */
readonly numbers?: "floatTail" | "number" | "numberRate" | "string" | "stringRate";

/** `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }`. */
readonly timestamps?: "compactOffset" | "fraction" | "offset" | "zulu" | TimestampForm;

/** The response to `all` refusals, and to those that differ, such as `unknown_payment` (all names). A
 * field that is left out is that of a similar refusal, of `all`, or as documented. A body is an example, or text such as an HTML page. */
readonly refusals?: RefusalSettings;

/** Constant headers of `all` responses, those of `createQuote`, `createPayment`, `replayPayment`, `getPayment`,
 * `getBalance` or `listTransactions`, and of webhooks as `event`; null removes a header of a response. */
readonly headers?: HeaderSettings;

/** The number of requests per time window, for each account and mode, of all methods or one. */
readonly rateLimit?: "none" | ProfileRateLimit;

/** The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
 * 
 * @default 'seconds' */
readonly retryAfter?: "date" | "seconds";

/** The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
 * it; deposits and the control API have no lag. */
readonly readLag?: ReadLag;

/** Two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one.
 * 
 * @default 'reject' */
readonly bothKeys?: "apiKey" | "bearer" | "either" | "reject";

/** Similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path; and an unknown path with
 * an invalid key: 401, or 404. A text is `similar`. */
readonly paths?: "lenient" | "redirect" | "strict" | { 
/** Paths such as `/balance/`.
 * 
 * @default 'strict' */
readonly similar?: "lenient" | "redirect" | "strict"; 
/** An unknown path with an invalid key.
 * 
 * @default 'authenticated' */
readonly unknown?: "authenticated" | "public"; };

/** The request body: the media types, only `application/json`, else 415, or any; a body that is not JSON (or JSON that
 * is not an object): refused, or read as an empty object; whether it is refused after or before an invalid key; and
 * unknown fields. */
readonly requestBody?: { 
/** The accepted `Content-Type`.
 * 
 * @default 'json' */
readonly mediaTypes?: "any" | "json"; 
/** A body that is not JSON.
 * 
 * @default 'reject' */
readonly malformed?: "empty" | "reject"; 
/** Whether a malformed body is refused after or before an invalid key.
 * 
 * @default 'afterKey' */
readonly checked?: "afterKey" | "beforeKey"; 
/** A body with other fields.
 * 
 * @default 'ignore' */
readonly unknownFields?: "ignore" | "reject"; };

/** The smallest and the largest amount to send; an amount as decimal text, such as `"10.00"`: 422, or read as the number;
 * and an amount with more decimals than its currency has: `round` to the nearest, and half to even with `rounding:
 * half_even`; `roundQuotes` and `truncateQuotes` only in quotes, and rejected in payments. */
readonly amounts?: { 
/** The smallest amount.
 * 
 * @default '0.01' */
readonly minimum?: string; 
/** The largest amount.
 * 
 * @default '999999999.99' */
readonly maximum?: string; 
/** An amount as decimal text, such as `"10.00"`.
 * 
 * @default 'reject' */
readonly text?: "accept" | "reject"; 
/** An amount with more decimals than its currency has.
 * 
 * @default 'reject' */
readonly precision?: "reject" | "round" | "roundQuotes" | "truncate" | "truncateQuotes"; };

/** The maximum number of characters of a text, else 422; an empty or blank optional text: 422, kept, or treated as if
 * absent; and a number as text: 422, or read as `"5"`. */
readonly texts?: { 
/** The maximum number of characters.
 * 
 * @default 255 */
readonly limit?: number; 
/** An optional text that is empty or blank.
 * 
 * @default 'reject' */
readonly empty?: "absent" | "keep" | "reject"; 
/** A number in place of a text.
 * 
 * @default 'reject' */
readonly number?: "accept" | "reject"; };

/** The supported currencies: the 46 of the mock, or codes such as `EUR USD`, others are rejected with 422; `usd`:
 * rejected, or read as `USD`; and a quote or payment from a currency to itself. A text is `codes`. */
readonly currencies?: string | { 
/** The supported currencies: those of the mock, or codes such as `EUR USD`.
 * 
 * @default 'default' */
readonly codes?: string; 
/** A code such as `usd`.
 * 
 * @default 'strict' */
readonly case?: "normalise" | "strict"; 
/** A quote or payment from a currency to itself.
 * 
 * @default 'allow' */
readonly same?: "allow" | "reject"; };

/** A second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response
 * even to another request.
 * 
 * @default 'replayed' */
readonly idempotency?: "conflict" | "ignored" | "replayed" | "replayedAny";

/** Two decimals for every currency, or none for JPY and the others that have none.
 * 
 * @default 'two' */
readonly minorUnits?: "iso" | "two";

/** The rounding of half a hundredth.
 * 
 * @default 'half_up' */
readonly rounding?: "down" | "half_even" | "half_up";

/** The fee: `percent` of the sent amount plus `flat`, within `minimum` and `maximum`; `mode` is `inside` the amount (the
 * default) or `onTop` of it; `rounding` is `up`, `down`, `half_up` or `half_even`, and without it that of the setting
 * `rounding`; `{ "percent": "0.5" }` by default. */
readonly fees?: FeeRule;

/** The rates: those of some pairs as a quote shows them, and the share that is deducted from the rates of other pairs. A
 * pair without a rate has that of its inverse, or of both currencies to USD. */
readonly rates?: RateSettings;

/** The opening balances of new accounts in test mode, unless the account has `balances`: 100000.00 in USD, EUR and
 * GBP, or others. */
readonly wallets?: "default" | Readonly<Record<string, string>>;

/** The status with which the wallet is debited, and whether a payment reserves its funds until a later debit; without a
 * hold, a debit without funds makes the payment fail. A text is `status`. */
readonly debitAt?: "completed" | "create" | "processing" | { 
/** The status with which the wallet is debited.
 * 
 * @default 'create' */
readonly status?: "completed" | "create" | "processing"; 
/** Whether a payment reserves its funds until then.
 * 
 * @default 'reserve' */
readonly hold?: "none" | "reserve"; };

/** The refund of a failed payment, and of a completed one that is returned: the same, or another one. A text is `failed`. */
readonly refund?: "full" | "lessFee" | "none" | { 
/** The refund of a payment that fails before it is completed.
 * 
 * @default 'full' */
readonly failed?: "full" | "lessFee" | "none"; 
/** The refund of a completed payment that fails.
 * 
 * @default 'same' */
readonly returned?: "full" | "lessFee" | "none" | "same"; };

/** The path of a payment, through processing to completed or directly, and the time in each status: a duration, or the
 * shortest and the longest one, of which each payment has a different one. A text is `path`. */
readonly statuses?: "skip" | "walk" | { 
/** From pending through processing to completed, or directly to completed.
 * 
 * @default 'walk' */
readonly path?: "skip" | "walk"; 
/** The time until a payment is processed.
 * 
 * @default '1s' */
readonly pending?: DurationRange; 
/** The time until a payment is completed.
 * 
 * @default '3s' */
readonly processing?: DurationRange; 
/** The time between the completion of a payment and its return.
 * 
 * @default '5s' */
readonly completed?: DurationRange; };

/** The outcomes of payments in test mode; the first rule that matches applies; one `*` in an
 * account, a name or an amount stands for any text; an outcome is
 * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
 * `500`, `drop` or `unavailable`; by default the magic values. */
readonly outcomes?: ReadonlyArray<OutcomeRule>;

/** The rows that a payment leaves in the list at its `create`, `debit`, `completion`, `failure` and `refund`, and those
 * of a `deposit` and an `adjustment`: lists of example rows; by default one row of each movement with all fields, or
 * with id, type, status, currency, an amount without its sign, and time. */
readonly rows?: "full" | "minimal" | RowExamples;

/** How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
 * an example: `{ body, link?, by?, parameter?, first? }`. */
readonly pagination?: "array" | "cursor" | "laravel" | "link" | "page" | PageExample;

/** An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
 * rows, or 404; an unknown filter: 422, no rows, or all rows; and the order of the rows. */
readonly listQuery?: { 
/** An invalid `page` or `per_page`.
 * 
 * @default 'reject' */
readonly page?: "clamp" | "default" | "reject"; 
/** A page after the last one.
 * 
 * @default 'empty' */
readonly pastEnd?: "empty" | "not_found"; 
/** An unknown `status` or `type`.
 * 
 * @default 'reject' */
readonly filter?: "empty" | "ignore" | "reject"; 
/** The order of the rows.
 * 
 * @default 'newest' */
readonly order?: "newest" | "oldest"; };

/** The statuses that send an event. */
readonly events?: ReadonlyArray<"completed" | "failed" | "pending" | "processing">;

/** The statuses that acknowledge an event.
 * 
 * @default 200 */
readonly ack?: "2xx" | 200;

/** Eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one. */
readonly retrySchedule?: "default" | "none" | ReadonlyArray<Duration>;

/** The probabilities that an event is sent twice, and after the next event of its payment; and the time between an
 * event and its webhook, a duration or the shortest and the longest one. */
readonly deliveryFaults?: "none" | DeliveryFaults;
}
