import type { profileSettings } from '../profile.ts';
import type { BehaviorSetting } from '../profile/behavior.ts';
import type { SettingDocs } from './setting-doc.ts';

/** The documentation of the settings with one value each. */
export const basicDocs: SettingDocs<
  Exclude<keyof typeof profileSettings, BehaviorSetting> | 'events' | 'deprecation'
> = {
  createStatus: {
    group: 'Responses',
    description: 'the status of a create',
  },
  quoteStatus: {
    group: 'Responses',
    description: 'the status of a quote',
  },
  absent: {
    group: 'Responses',
    description: 'an absent optional text: null, no field, or empty text',
  },
  numbers: {
    group: 'Responses',
    description: 'the form of money: `916.69`, `"916.69"`, or `916.6900000000001`, like a sum of doubles',
  },
  timestamps: {
    group: 'Responses',
    description:
      '`…T12:00:00+00:00`, `…T12:00:00Z`, `…T12:00:00+0000`, `…T12:00:00.000+00:00`, or `{ digits, zone }` such as `{ digits: 6, zone: "+01:00" }`',
  },
  modeOn401: {
    group: 'Responses',
    description:
      'the `mode` of a response to an unknown key: none, null, or guessed from the prefix of the key',
  },
  errorShape: {
    group: 'Responses',
    description:
      'an error: as documented, with lists of fields in addition, only `{ "message" }`, an HTML page, or a template such as those of `refusals`',
  },
  rateLimitHeaders: {
    group: 'Responses',
    description:
      'a 429 with `Retry-After` and `X-RateLimit-*`, with `Retry-After`, `RateLimit` and `RateLimit-Policy`, or without these',
  },
  deprecation: {
    group: 'Responses',
    values: '`none`, or `{ deprecated, sunset, link? }`',
    example: { deprecated: '2026-06-01T00:00:00Z', sunset: '2027-06-01T00:00:00Z' },
    description: 'the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`',
  },
  bothKeys: {
    group: 'Requests',
    description:
      'two different keys in `Authorization` and `X-API-Key`: 401, the one that is used, or either valid one',
  },
  malformedBody: {
    group: 'Requests',
    description:
      'the status for a body that is not JSON; `empty` reads it, and JSON that is not an object, as an empty object',
  },
  bodyChecked: {
    group: 'Requests',
    description: 'a body that is not JSON with an invalid API key: 401, or the response to the body',
  },
  unknownFields: {
    group: 'Requests',
    description: 'unknown fields',
  },
  amountText: {
    group: 'Requests',
    description: 'an amount as decimal text, such as `"10.00"`: 422, or read as the number',
  },
  emptyText: {
    group: 'Requests',
    description:
      'an optional text that is empty or blank: 422, kept as it is, or treated as if the field were absent',
  },
  mediaTypes: {
    group: 'Requests',
    description: 'the `Content-Type` of a body: only `application/json`, else 415, or any',
  },
  sameCurrency: {
    group: 'Requests',
    description: 'a quote or payment from a currency to itself',
  },
  currencyCase: {
    group: 'Requests',
    description: '`usd`: rejected, or read as `USD`',
  },
  excessPrecision: {
    group: 'Requests',
    description:
      'an amount with more decimals than its currency has; `round`: to the nearest, and half to even with `rounding: half_even`; `roundQuotes` and `truncateQuotes`: only in quotes, and rejected in payments',
  },
  idempotency: {
    group: 'Requests',
    description:
      'a second create with the same `Idempotency-Key`: the same response, another payment, 409, or the same response even to another request',
  },
  replayStatus: {
    group: 'Requests',
    description: 'the status of a replayed create: that of the create, or 200',
  },
  foreignPayment: {
    group: 'Requests',
    description: 'a payment of another account: 404 or 403',
  },
  paths: {
    group: 'Requests',
    description:
      'similar paths such as `/balance/`: 404, 308 to the canonical path, or the response of that path',
  },
  unknownPath: {
    group: 'Requests',
    description: 'an unknown path with an invalid key: 401, or 404',
  },
  minorUnits: {
    group: 'Money',
    description: 'two decimals for every currency, or none for JPY and the others that have none',
  },
  rounding: {
    group: 'Money',
    description: 'the rounding of half a hundredth',
  },
  feeMode: {
    group: 'Money',
    description: 'the fee: taken out of the amount, added to it, hidden in the rate, or none',
  },
  debitAt: {
    group: 'Money',
    description: 'the status with which the wallet is debited',
  },
  refund: {
    group: 'Money',
    description: 'the refund of a failed payment',
  },
  transitions: {
    group: 'Payments',
    description: 'from pending through processing to completed, or directly to completed',
  },
  unknownStatus: {
    group: 'Payments',
    description: 'whether the undocumented status `under_review` comes between processing and completed',
  },
  transactionShape: {
    group: 'Transactions',
    description:
      'all fields, or id, type, status, currency, an amount without its sign, and time, or [templates](templates.md): a list of `{ of, row }`',
  },
  pagination: {
    group: 'Transactions',
    description:
      'how a page refers to the next one: by numbers, as in Laravel, by a cursor, not at all, in the `Link` header, or a [template](templates.md): `{ data, beside?, headers?, by?, parameter?, first?, query? }`',
  },
  badPage: {
    group: 'Transactions',
    description: '`per_page=0`: 422, the nearest allowed value, or the default size if it is too small',
  },
  pastEnd: {
    group: 'Transactions',
    description: 'a page after the last one: no rows, or 404',
  },
  unknownFilter: {
    group: 'Transactions',
    description: '`status=no_such_status`: 422, no rows, or all rows',
  },
  events: {
    group: 'Webhooks',
    values: 'all, or any of them',
    example: ['completed', 'failed'],
    description: 'the statuses that send an event',
  },
  ack: {
    group: 'Webhooks',
    description: 'the statuses that acknowledge an event',
  },
  redelivery: {
    group: 'Webhooks',
    description: 'a later attempt: the same bytes, or with the time of the attempt',
  },
};
