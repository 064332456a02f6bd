// Generated from the table of the settings by `npm run generate`. Do not edit.
import type { DeliveryFaults, Duration, DurationRange, ExtraStatus, FeeRule, HeaderTemplates, ObjectTemplate, OutcomeRule, PageTemplate, ProfileRateLimit, ReadLag, RefusalTemplate, RowTemplate, StatusDurations, Template, TimestampForm } from '@service/internal';

/** A profile: one value for each question that the service's document leaves open, with the names of its templates, where they have one. */
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

/** The form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles.
 * 
 * @default 'number' */
readonly numbers: "floatTail" | "number" | "string";

/** `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }`. */
readonly timestamps: "compactOffset" | "fraction" | "offset" | "zulu" | TimestampForm;

/** An error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a
 * template such as those of `refusals`. */
readonly errorShape: "bare" | "envelope" | "extra" | "html" | RefusalTemplate;

/** The refusals that differ from `errorShape`: `{ status?, type?, message?, body?, headers? }` for each of
 * `authentication`, `missing_key` (without it as `authentication`), `unknown_path`, `unknown_method`,
 * `unknown_payment`, `malformed_id` (an id that does not start with `pay_`; without it as `unknown_payment`),
 * `unknown_page`, `foreign_payment` (without it as `unknown_payment`), `validation`, `malformed_body`, `malformed_key` (an invalid `Idempotency-Key`; without it as `malformed_body`), `not_an_object`
 * (a JSON body such as a list; without it as `validation`), `media_type`, `body_size`, `insufficient_funds`,
 * `rate_limit` (null removes one of its headers), `key_reused`, `key_of_other_body`, `server_error`, `unavailable`
 * (the outcome of a create; without it as `server_error`), and each kind of invalid field of `issues` (without it as
 * `validation`). */
readonly refusals: Readonly<Partial<Record<'amount_large' | 'amount_missing' | 'amount_negative' | 'amount_null' | 'amount_precise' | 'amount_text' | 'amount_type' | 'amount_word' | 'amount_zero' | 'authentication' | 'body' | 'body_size' | 'currency_form' | 'currency_null' | 'currency_pair' | 'currency_same' | 'currency_type' | 'currency_unknown' | 'foreign_payment' | 'insufficient_funds' | 'key_of_other_body' | 'key_reused' | 'malformed_body' | 'malformed_id' | 'malformed_key' | 'media_type' | 'missing' | 'missing_key' | 'not_an_object' | 'other' | 'page' | 'per_page_form' | 'per_page_large' | 'per_page_small' | 'rate_limit' | 'server_error' | 'status' | 'text_empty' | 'text_long' | 'text_missing' | 'text_null' | 'text_type' | 'type' | 'unavailable' | 'unknown_field' | 'unknown_method' | 'unknown_page' | 'unknown_path' | 'unknown_payment' | 'validation', RefusalTemplate>>>;

/** The details of invalid fields, for a template of the refusal `validation` with `['{each issues}', '{issue}']` or
 * `{ '{each fields}': '{issues}' }`; the kinds are `missing`, `amount_missing` and `text_missing` (without them as
 * `missing`), `unknown_field`, `currency_null`, `currency_type`, `currency_form`, `currency_unknown`,
 * `currency_same`, `currency_pair`, `amount_null`, `amount_type`, `amount_text`, `amount_word`, `amount_zero`,
 * `amount_negative`, `amount_large`, `amount_precise`, `text_null`, `text_type`, `text_empty`, `text_long`,
 * `per_page_form`, `per_page_small`, `per_page_large`, `page`, `status`, `type`, `body` and `other`. */
readonly issues: Readonly<Partial<Record<'amount_large' | 'amount_missing' | 'amount_negative' | 'amount_null' | 'amount_precise' | 'amount_text' | 'amount_type' | 'amount_word' | 'amount_zero' | 'body' | 'currency_form' | 'currency_null' | 'currency_pair' | 'currency_same' | 'currency_type' | 'currency_unknown' | 'missing' | 'other' | 'page' | 'per_page_form' | 'per_page_large' | 'per_page_small' | 'status' | 'text_empty' | 'text_long' | 'text_missing' | 'text_null' | 'text_type' | 'type' | 'unknown_field', ReadonlyArray<Template>>>>;

/** The problems in the response to a request with several ones: `listed` is `all` (the default) or `first`,
 * `fields` are the fields that are checked before the others, in their order, and `first` and `last` are kinds of
 * problems of `issues` that are checked before and after the others: a response has those of one check only. */
readonly problems: { 
/** Whether the response has all problems, or only the first one.
 * 
 * @default 'all' */
readonly listed?: "all" | "first"; 
/** The first fields that are checked, in their order. */
readonly fields?: ReadonlyArray<string>; 
/** The kinds of problems that are checked before the others, of which the response then has none. */
readonly first?: ReadonlyArray<"amount_large" | "amount_missing" | "amount_negative" | "amount_null" | "amount_precise" | "amount_text" | "amount_type" | "amount_word" | "amount_zero" | "body" | "currency_form" | "currency_null" | "currency_pair" | "currency_same" | "currency_type" | "currency_unknown" | "missing" | "other" | "page" | "per_page_form" | "per_page_large" | "per_page_small" | "status" | "text_empty" | "text_long" | "text_missing" | "text_null" | "text_type" | "type" | "unknown_field">; 
/** The kinds of problems that are checked after the others, with which the response does not have them. */
readonly last?: ReadonlyArray<"amount_large" | "amount_missing" | "amount_negative" | "amount_null" | "amount_precise" | "amount_text" | "amount_type" | "amount_word" | "amount_zero" | "body" | "currency_form" | "currency_null" | "currency_pair" | "currency_same" | "currency_type" | "currency_unknown" | "missing" | "other" | "page" | "per_page_form" | "per_page_large" | "per_page_small" | "status" | "text_empty" | "text_long" | "text_missing" | "text_null" | "text_type" | "type" | "unknown_field">; };

/** Additional fields beside `data` in `all` successful responses, or those of `createQuote`, `createPayment`,
 * `getPayment` or `getBalance`, in place of those of all with the same name; payments have their values. */
readonly beside: Readonly<Partial<Record<'all' | 'createPayment' | 'createQuote' | 'getBalance' | 'getPayment', ObjectTemplate>>>;

/** The `data` of a quote. */
readonly quoteShape: "documented" | ObjectTemplate;

/** The `data` of a payment. */
readonly paymentShape: "documented" | ObjectTemplate;

/** The `data` of the balance. */
readonly balanceShape: "documented" | ObjectTemplate;

/** Headers of `createQuote`, `createPayment`, `replayPayment`, `getPayment`, `getBalance`, `listTransactions` or `all`
 * responses, and of webhooks as `event`; null removes a header of a response; with a rate limit, `all` has `{limit}`,
 * `{remaining}`, `{reset}` and `{reset_at}`. */
readonly headers: HeaderTemplates;

/** The forms of ids, with `{base62 24}`, `{lower 24}`, `{upper 24}`, `{hex 24}`, `{digits 16}`, `{uuid}`, `{ulid}`,
 * `{number}`, `{mode}` and, for payments, `{date}` such as `20260131`. */
readonly ids: { 
/** Starts with `pay_{mode}_`. `{base62 24}`, `{lower 24}`, `{hex 24}` and `{digits 12}` are random characters,
 * `{ulid}` and `{uuid}` random ids, `{date}` is the day in UTC, and `{number}` counts from 1. Without it, as `pay_{mode}_{base62 24}`, and
 * later ids sort behind earlier ones. */
readonly payment?: string; 
/** Like `payment`, with any start and without `{date}`. */
readonly transaction?: string; };

/** The number of requests per time window, for each account and mode, of all methods or one; responses to others
 * lack headers with `{remaining}`. */
readonly rateLimit: "none" | ProfileRateLimit;

/** The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
 * 
 * @default 'seconds' */
readonly retryAfter: "date" | "seconds";

/** The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
 * it; deposits and the control API have no lag. */
readonly readLag: ReadLag;

/** The real time before each response; 0 by default. */
readonly latency: DurationRange;

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

/** The supported currencies: the 46 of the mock, or a list, others are rejected with 422; `usd`:
 * rejected, or read as `USD`; and a quote or payment from a currency to itself. A list is `codes`. */
readonly currencies: { 
/** The supported currencies: those of the mock, or a list.
 * 
 * @default 'default' */
readonly codes: "default" | ReadonlyArray<string>; 
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

/** The fee: the first rule for the two currencies and the amount; without one, 0; `mode` is `inside` the amount (the
 * default), `onTop` of it, or `inRate`, where `percent` is the margin of the rate; `rounding` is `up`, `down`,
 * `half_up` or `half_even`, and without it that of the setting `rounding`; `[{ "percent": "0.5" }]` by default. */
readonly fees: ReadonlyArray<FeeRule>;

/** The rates: those of some pairs as a quote shows them; the share that is deducted from the rates of other pairs;
 * changes by at most a share, each minute or `every` so often; and other rates from an amount on. A pair without a
 * rate has that of its inverse, or of both currencies to USD. */
readonly rates: { 
/** The rates of some pairs as quotes show them, as decimal text. Nothing is deducted from them. The rates of other
 * pairs follow from them or from the table of the mock. */
readonly pairs?: Readonly<Record<string, string>>; 
/** The share of the rate that is deducted in each direction of the other pairs, as decimal text. None if it is
 * left out. */
readonly spread?: string; 
/** The changes of rates over time.
 * 
 * @default none */
readonly moves?: { 
/** The largest difference from the rate without changes, as a share of it, as decimal text. */
readonly by: string; 
/** The time between two changes.
 * 
 * @default '1m' */
readonly every?: Duration; }; 
/** Other rates for larger amounts, from the smallest amount to the largest. The last one that an amount reaches applies. */
readonly tiers?: ReadonlyArray<{ 
/** The smallest amount in some sent currencies, as decimal text. An amount in another currency is converted into the
 * first one of them. */
readonly from: Readonly<Record<string, string>>; 
/** The rates of some pairs. Other pairs have the same rates as smaller amounts. */
readonly pairs?: Readonly<Record<string, string>>; 
/** The share of the rate that is deducted from other pairs. That of smaller amounts if it is left out. */
readonly spread?: string; }>; };

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

/** From pending through processing to completed, or directly to completed.
 * 
 * @default 'walk' */
readonly transitions: "skip" | "walk";

/** The time in each status: a duration, or the shortest and the longest one, of which each payment has a different one;
 * `completed` is the time until a return; by default 1 s, 3 s and 5 s. */
readonly durations: StatusDurations;

/** The outcomes of payments in test mode; the first rule that matches applies; a condition for the account or the
 * name has `equals`, `prefix` or `suffix`, one for the amount `equals`, `from`, `to` or `suffix`; an outcome is
 * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
 * `500`, `drop` or `unavailable`; by default the magic values. */
readonly outcomes: ReadonlyArray<OutcomeRule>;

/** Statuses that the document does not have, with the status before each of them (`pending` or `processing`), the
 * conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event. */
readonly extraStatuses: ReadonlyArray<ExtraStatus>;

/** All fields, or id, type, status, currency, an amount without its sign, and time, or templates: a
 * list of `{ of, row }`. */
readonly transactionShape: "full" | "minimal" | ReadonlyArray<RowTemplate>;

/** How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
 * a template: `{ data, beside?, headers?, by?, parameter?, first?, query? }`. */
readonly pagination: "array" | "cursor" | "laravel" | "link" | "page" | PageTemplate;

/** An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
 * rows, or 404; an unknown filter: 422, no rows, or all rows. Kinds in `refusals` are refused. */
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
readonly filter: "empty" | "ignore" | "reject"; };

/** The statuses that send an event. */
readonly events: ReadonlyArray<"completed" | "failed" | "pending" | "processing">;

/** The body of a webhook. `{renewed_at}` is the time of the event, and in a later attempt that of the attempt. */
readonly eventShape: "documented" | ObjectTemplate;

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

/** Values for some profile settings. Other settings do not change, nor do fields that are left out of `successStatus`, `paths`, `requestBody`, `amounts`, `texts`, `currencies`, `debitAt`, `refund` and `listQuery`. */
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

/** The form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles.
 * 
 * @default 'number' */
readonly numbers?: "floatTail" | "number" | "string";

/** `…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }`. */
readonly timestamps?: "compactOffset" | "fraction" | "offset" | "zulu" | TimestampForm;

/** An error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a
 * template such as those of `refusals`. */
readonly errorShape?: "bare" | "envelope" | "extra" | "html" | RefusalTemplate;

/** The refusals that differ from `errorShape`: `{ status?, type?, message?, body?, headers? }` for each of
 * `authentication`, `missing_key` (without it as `authentication`), `unknown_path`, `unknown_method`,
 * `unknown_payment`, `malformed_id` (an id that does not start with `pay_`; without it as `unknown_payment`),
 * `unknown_page`, `foreign_payment` (without it as `unknown_payment`), `validation`, `malformed_body`, `malformed_key` (an invalid `Idempotency-Key`; without it as `malformed_body`), `not_an_object`
 * (a JSON body such as a list; without it as `validation`), `media_type`, `body_size`, `insufficient_funds`,
 * `rate_limit` (null removes one of its headers), `key_reused`, `key_of_other_body`, `server_error`, `unavailable`
 * (the outcome of a create; without it as `server_error`), and each kind of invalid field of `issues` (without it as
 * `validation`). */
readonly refusals?: Readonly<Partial<Record<'amount_large' | 'amount_missing' | 'amount_negative' | 'amount_null' | 'amount_precise' | 'amount_text' | 'amount_type' | 'amount_word' | 'amount_zero' | 'authentication' | 'body' | 'body_size' | 'currency_form' | 'currency_null' | 'currency_pair' | 'currency_same' | 'currency_type' | 'currency_unknown' | 'foreign_payment' | 'insufficient_funds' | 'key_of_other_body' | 'key_reused' | 'malformed_body' | 'malformed_id' | 'malformed_key' | 'media_type' | 'missing' | 'missing_key' | 'not_an_object' | 'other' | 'page' | 'per_page_form' | 'per_page_large' | 'per_page_small' | 'rate_limit' | 'server_error' | 'status' | 'text_empty' | 'text_long' | 'text_missing' | 'text_null' | 'text_type' | 'type' | 'unavailable' | 'unknown_field' | 'unknown_method' | 'unknown_page' | 'unknown_path' | 'unknown_payment' | 'validation', RefusalTemplate>>>;

/** The details of invalid fields, for a template of the refusal `validation` with `['{each issues}', '{issue}']` or
 * `{ '{each fields}': '{issues}' }`; the kinds are `missing`, `amount_missing` and `text_missing` (without them as
 * `missing`), `unknown_field`, `currency_null`, `currency_type`, `currency_form`, `currency_unknown`,
 * `currency_same`, `currency_pair`, `amount_null`, `amount_type`, `amount_text`, `amount_word`, `amount_zero`,
 * `amount_negative`, `amount_large`, `amount_precise`, `text_null`, `text_type`, `text_empty`, `text_long`,
 * `per_page_form`, `per_page_small`, `per_page_large`, `page`, `status`, `type`, `body` and `other`. */
readonly issues?: Readonly<Partial<Record<'amount_large' | 'amount_missing' | 'amount_negative' | 'amount_null' | 'amount_precise' | 'amount_text' | 'amount_type' | 'amount_word' | 'amount_zero' | 'body' | 'currency_form' | 'currency_null' | 'currency_pair' | 'currency_same' | 'currency_type' | 'currency_unknown' | 'missing' | 'other' | 'page' | 'per_page_form' | 'per_page_large' | 'per_page_small' | 'status' | 'text_empty' | 'text_long' | 'text_missing' | 'text_null' | 'text_type' | 'type' | 'unknown_field', ReadonlyArray<Template>>>>;

/** The problems in the response to a request with several ones: `listed` is `all` (the default) or `first`,
 * `fields` are the fields that are checked before the others, in their order, and `first` and `last` are kinds of
 * problems of `issues` that are checked before and after the others: a response has those of one check only. */
readonly problems?: { 
/** Whether the response has all problems, or only the first one.
 * 
 * @default 'all' */
readonly listed?: "all" | "first"; 
/** The first fields that are checked, in their order. */
readonly fields?: ReadonlyArray<string>; 
/** The kinds of problems that are checked before the others, of which the response then has none. */
readonly first?: ReadonlyArray<"amount_large" | "amount_missing" | "amount_negative" | "amount_null" | "amount_precise" | "amount_text" | "amount_type" | "amount_word" | "amount_zero" | "body" | "currency_form" | "currency_null" | "currency_pair" | "currency_same" | "currency_type" | "currency_unknown" | "missing" | "other" | "page" | "per_page_form" | "per_page_large" | "per_page_small" | "status" | "text_empty" | "text_long" | "text_missing" | "text_null" | "text_type" | "type" | "unknown_field">; 
/** The kinds of problems that are checked after the others, with which the response does not have them. */
readonly last?: ReadonlyArray<"amount_large" | "amount_missing" | "amount_negative" | "amount_null" | "amount_precise" | "amount_text" | "amount_type" | "amount_word" | "amount_zero" | "body" | "currency_form" | "currency_null" | "currency_pair" | "currency_same" | "currency_type" | "currency_unknown" | "missing" | "other" | "page" | "per_page_form" | "per_page_large" | "per_page_small" | "status" | "text_empty" | "text_long" | "text_missing" | "text_null" | "text_type" | "type" | "unknown_field">; };

/** Additional fields beside `data` in `all` successful responses, or those of `createQuote`, `createPayment`,
 * `getPayment` or `getBalance`, in place of those of all with the same name; payments have their values. */
readonly beside?: Readonly<Partial<Record<'all' | 'createPayment' | 'createQuote' | 'getBalance' | 'getPayment', ObjectTemplate>>>;

/** The `data` of a quote. */
readonly quoteShape?: "documented" | ObjectTemplate;

/** The `data` of a payment. */
readonly paymentShape?: "documented" | ObjectTemplate;

/** The `data` of the balance. */
readonly balanceShape?: "documented" | ObjectTemplate;

/** Headers of `createQuote`, `createPayment`, `replayPayment`, `getPayment`, `getBalance`, `listTransactions` or `all`
 * responses, and of webhooks as `event`; null removes a header of a response; with a rate limit, `all` has `{limit}`,
 * `{remaining}`, `{reset}` and `{reset_at}`. */
readonly headers?: HeaderTemplates;

/** The forms of ids, with `{base62 24}`, `{lower 24}`, `{upper 24}`, `{hex 24}`, `{digits 16}`, `{uuid}`, `{ulid}`,
 * `{number}`, `{mode}` and, for payments, `{date}` such as `20260131`. */
readonly ids?: { 
/** Starts with `pay_{mode}_`. `{base62 24}`, `{lower 24}`, `{hex 24}` and `{digits 12}` are random characters,
 * `{ulid}` and `{uuid}` random ids, `{date}` is the day in UTC, and `{number}` counts from 1. Without it, as `pay_{mode}_{base62 24}`, and
 * later ids sort behind earlier ones. */
readonly payment?: string; 
/** Like `payment`, with any start and without `{date}`. */
readonly transaction?: string; };

/** The number of requests per time window, for each account and mode, of all methods or one; responses to others
 * lack headers with `{remaining}`. */
readonly rateLimit?: "none" | ProfileRateLimit;

/** The form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`.
 * 
 * @default 'seconds' */
readonly retryAfter?: "date" | "seconds";

/** The time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have
 * it; deposits and the control API have no lag. */
readonly readLag?: ReadLag;

/** The real time before each response; 0 by default. */
readonly latency?: DurationRange;

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

/** The supported currencies: the 46 of the mock, or a list, others are rejected with 422; `usd`:
 * rejected, or read as `USD`; and a quote or payment from a currency to itself. A list is `codes`. */
readonly currencies?: "default" | { 
/** The supported currencies: those of the mock, or a list.
 * 
 * @default 'default' */
readonly codes?: "default" | ReadonlyArray<string>; 
/** A code such as `usd`.
 * 
 * @default 'strict' */
readonly case?: "normalise" | "strict"; 
/** A quote or payment from a currency to itself.
 * 
 * @default 'allow' */
readonly same?: "allow" | "reject"; } | ReadonlyArray<string>;

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

/** The fee: the first rule for the two currencies and the amount; without one, 0; `mode` is `inside` the amount (the
 * default), `onTop` of it, or `inRate`, where `percent` is the margin of the rate; `rounding` is `up`, `down`,
 * `half_up` or `half_even`, and without it that of the setting `rounding`; `[{ "percent": "0.5" }]` by default. */
readonly fees?: ReadonlyArray<FeeRule>;

/** The rates: those of some pairs as a quote shows them; the share that is deducted from the rates of other pairs;
 * changes by at most a share, each minute or `every` so often; and other rates from an amount on. A pair without a
 * rate has that of its inverse, or of both currencies to USD. */
readonly rates?: { 
/** The rates of some pairs as quotes show them, as decimal text. Nothing is deducted from them. The rates of other
 * pairs follow from them or from the table of the mock. */
readonly pairs?: Readonly<Record<string, string>>; 
/** The share of the rate that is deducted in each direction of the other pairs, as decimal text. None if it is
 * left out. */
readonly spread?: string; 
/** The changes of rates over time.
 * 
 * @default none */
readonly moves?: { 
/** The largest difference from the rate without changes, as a share of it, as decimal text. */
readonly by: string; 
/** The time between two changes.
 * 
 * @default '1m' */
readonly every?: Duration; }; 
/** Other rates for larger amounts, from the smallest amount to the largest. The last one that an amount reaches applies. */
readonly tiers?: ReadonlyArray<{ 
/** The smallest amount in some sent currencies, as decimal text. An amount in another currency is converted into the
 * first one of them. */
readonly from: Readonly<Record<string, string>>; 
/** The rates of some pairs. Other pairs have the same rates as smaller amounts. */
readonly pairs?: Readonly<Record<string, string>>; 
/** The share of the rate that is deducted from other pairs. That of smaller amounts if it is left out. */
readonly spread?: string; }>; };

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

/** From pending through processing to completed, or directly to completed.
 * 
 * @default 'walk' */
readonly transitions?: "skip" | "walk";

/** The time in each status: a duration, or the shortest and the longest one, of which each payment has a different one;
 * `completed` is the time until a return; by default 1 s, 3 s and 5 s. */
readonly durations?: StatusDurations;

/** The outcomes of payments in test mode; the first rule that matches applies; a condition for the account or the
 * name has `equals`, `prefix` or `suffix`, one for the amount `equals`, `from`, `to` or `suffix`; an outcome is
 * `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`,
 * `500`, `drop` or `unavailable`; by default the magic values. */
readonly outcomes?: ReadonlyArray<OutcomeRule>;

/** Statuses that the document does not have, with the status before each of them (`pending` or `processing`), the
 * conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event. */
readonly extraStatuses?: ReadonlyArray<ExtraStatus>;

/** All fields, or id, type, status, currency, an amount without its sign, and time, or templates: a
 * list of `{ of, row }`. */
readonly transactionShape?: "full" | "minimal" | ReadonlyArray<RowTemplate>;

/** How a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or
 * a template: `{ data, beside?, headers?, by?, parameter?, first?, query? }`. */
readonly pagination?: "array" | "cursor" | "laravel" | "link" | "page" | PageTemplate;

/** An invalid `page` or `per_page`: 422, the nearest value, or the default if too small; a page after the last one: no
 * rows, or 404; an unknown filter: 422, no rows, or all rows. Kinds in `refusals` are refused. */
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
readonly filter?: "empty" | "ignore" | "reject"; };

/** The statuses that send an event. */
readonly events?: ReadonlyArray<"completed" | "failed" | "pending" | "processing">;

/** The body of a webhook. `{renewed_at}` is the time of the event, and in a later attempt that of the attempt. */
readonly eventShape?: "documented" | ObjectTemplate;

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
