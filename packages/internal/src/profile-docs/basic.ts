import type { profileSettings } from '../profile.ts';
import type { BehaviorSetting } from '../profile/behavior.ts';
import type { SettingDocs } from './setting-doc.ts';

/** The documentation of the settings with one value each. */
export const basicDocs: SettingDocs<
  Exclude<keyof typeof profileSettings, BehaviorSetting> | 'events' | 'deprecation'
> = {
  createStatus: {
    group: 'Responses',
    client: 'accepts any 2xx',
    description: 'the status of a create',
  },
  quoteStatus: {
    group: 'Responses',
    client: 'accepts any 2xx',
    description: 'the status of a quote',
  },
  absent: {
    group: 'Responses',
    client: 'normalizes to null',
    description: 'an absent optional text: null, no field, or empty text',
  },
  numbers: {
    group: 'Responses',
    client: 'parses all and exposes the exact decimal text',
    description: 'the form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles',
  },
  timestamps: {
    group: 'Responses',
    client: 'keeps the text; the webhook verifier reads all',
    description:
      '`…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }` such as `{ digits: 6, zone: "+01:00" }`',
  },
  modeOn401: {
    group: 'Responses',
    client: 'does not require `mode`',
    description:
      'the `mode` of a response to an unknown key: none, null, or guessed from the prefix of the key',
  },
  errorShape: {
    group: 'Responses',
    client: 'classifies by type, else by status, and keeps the raw body',
    description:
      'an error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a template such as those of `refusals`',
  },
  rateLimitHeaders: {
    group: 'Responses',
    client: 'uses `Retry-After`, else backs off',
    description:
      'a 429 with `Retry-After` and `X-RateLimit-*`, with `Retry-After`, `RateLimit` and `RateLimit-Policy`, or without these',
  },
  deprecation: {
    group: 'Responses',
    client: 'warns once per process',
    values: '`none`, or `{ deprecated, sunset, link? }`',
    example: { deprecated: '2026-06-01T00:00:00Z', sunset: '2027-06-01T00:00:00Z' },
    description: 'the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`',
  },
  bothKeys: {
    group: 'Requests',
    client: 'sends one header',
    description:
      'two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one',
  },
  malformedBody: {
    group: 'Requests',
    client: 'accepts all',
    description:
      'the status for a body that is not JSON; `empty` reads it, and JSON that is not an object, as an empty object',
  },
  bodyChecked: {
    group: 'Requests',
    client: 'always sends valid JSON',
    description: 'a body that is not JSON with an invalid API key: 401, or the response to the body',
  },
  unknownFields: {
    group: 'Requests',
    client: 'sends documented fields only',
    description: 'unknown fields',
  },
  amountText: {
    group: 'Requests',
    client: 'sends numbers',
    description: 'an amount as decimal text, such as `"10.00"`: 422, or read as the number',
  },
  emptyText: {
    group: 'Requests',
    client: 'sends texts as given',
    description:
      'an optional text that is empty or blank: 422, kept as it is, or treated as if the field were absent',
  },
  mediaTypes: {
    group: 'Requests',
    client: 'sends `application/json`',
    description: 'the `Content-Type` of a body: only `application/json`, else 415, or any',
  },
  sameCurrency: {
    group: 'Requests',
    client: 'leaves the check to the service',
    description: 'a quote or payment from a currency to itself',
  },
  currencyCase: {
    group: 'Requests',
    client: 'sends upper case',
    description: '`usd`: rejected, or read as `USD`',
  },
  excessPrecision: {
    group: 'Requests',
    client: 'refuses more than 2 decimals unless configured, and warns when `send_amount` differs',
    description:
      'an amount with more decimals than its currency has; `round`: to the nearest, and half to even with `rounding: half_even`; `roundQuotes` and `truncateQuotes`: only in quotes, and rejected in payments',
  },
  idempotency: {
    group: 'Requests',
    client: 'retries a create only when configured with `replayed`',
    description:
      'a second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response even to another request',
  },
  replayStatus: {
    group: 'Requests',
    client: 'accepts any 2xx',
    description: 'the status of a replayed create: that of the create, or 200',
  },
  foreignPayment: {
    group: 'Requests',
    client: 'treats both as not accessible',
    description: 'a payment of another account: 404 or 403',
  },
  paths: {
    group: 'Requests',
    client: 'never follows a redirect',
    description:
      'similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path',
  },
  unknownPath: {
    group: 'Requests',
    client: 'sends documented paths only',
    description: 'an unknown path with an invalid key: 401, or 404',
  },
  minorUnits: {
    group: 'Money',
    client: 'assumes neither',
    description: 'two decimals for every currency, or none for JPY and the others that have none',
  },
  rounding: {
    group: 'Money',
    client: 'assumes none',
    description: 'the rounding of half a hundredth',
  },
  feeMode: {
    group: 'Money',
    client: 'never recomputes `receive_amount`',
    description: 'the fee: taken out of the amount, added to it, hidden in the rate, or none',
  },
  debitAt: {
    group: 'Money',
    client: 'does not assume a debit',
    description: 'the status with which the wallet is debited',
  },
  refund: {
    group: 'Money',
    client: 'does not assume a refund after `failed`',
    description: 'the refund of a failed payment',
  },
  transitions: {
    group: 'Payments',
    client: 'waits for a final status, not for a path',
    description: 'from pending through processing to completed, or directly to completed',
  },
  unknownStatus: {
    group: 'Payments',
    client: 'passes unknown statuses through as not final',
    description: 'whether the undocumented status `under_review` comes between processing and completed',
  },
  transactionShape: {
    group: 'Transactions',
    client: 'reads fields by common names; reports `cannot_tell` when those for reconciling are missing',
    description:
      'all fields, or id, type, status, currency, an amount without its sign, and time, or [templates](templates.md): a list of `{ of, row }`',
  },
  pagination: {
    group: 'Transactions',
    client: 'reads all; throws where more rows exist and no page has them',
    description:
      'how a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or a [template](templates.md): `{ data, beside?, headers?, by?, parameter?, first?, query? }`',
  },
  badPage: {
    group: 'Transactions',
    client: 'checks `per_page` before sending',
    description: '`per_page=0`: 422, the nearest allowed value, or the default size if it is too small',
  },
  pastEnd: {
    group: 'Transactions',
    client: 'ends a list without requesting a page after the last one',
    description: 'a page after the last one: no rows, or 404',
  },
  unknownFilter: {
    group: 'Transactions',
    client: 'passes filters through',
    description: '`status=no_such_status`: 422, no rows, or all rows',
  },
  events: {
    group: 'Webhooks',
    client: 'works without non-final events',
    values: 'all, or any of them',
    example: ['completed', 'failed'],
    description: 'the statuses that send an event',
  },
  ack: {
    group: 'Webhooks',
    client: 'responds 200',
    description: 'the statuses that acknowledge an event',
  },
  redelivery: {
    group: 'Webhooks',
    client: 'deduplicates by id and status',
    description: 'a later attempt: the same bytes, or with the time of the attempt',
  },
};
