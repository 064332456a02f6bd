// Profiles in the names of earlier versions: one with every setting, and each value of the settings that are parts of others now.
import type { ProfileChoice } from '@service/mock';
import everything from './everything.json' with { type: 'json' };

const dates = { deprecated: '2026-06-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' };

const values: Readonly<Record<string, readonly unknown[]>> = {
  createStatus: [201, 200, 202],
  quoteStatus: [200, 201],
  replayStatus: ['created', 200],
  modeOn401: ['omit', 'null', 'guess'],
  feeMode: ['inside', 'onTop', 'inRate', 'none'],
  debitAt: ['create', 'processing', 'completed'],
  hold: ['reserve', 'none'],
  refund: ['full', 'lessFee', 'none'],
  returnRefund: ['same', 'full', 'lessFee', 'none'],
  unknownStatus: ['none', 'invented'],
  redelivery: ['same', 'newCreatedAt'],
  foreignPayment: ['not_found', 'permission_error'],
  badPage: ['reject', 'clamp', 'default'],
  pastEnd: ['empty', 'not_found'],
  unknownFilter: ['reject', 'empty', 'ignore'],
  sameCurrency: ['allow', 'reject'],
  currencyCase: ['strict', 'normalise'],
  excessPrecision: ['reject', 'round', 'truncate', 'roundQuotes', 'truncateQuotes'],
  amountText: ['reject', 'accept'],
  amountLimits: [{ minimum: '1.00', maximum: '50000.00' }],
  emptyText: ['reject', 'keep', 'absent'],
  textLimit: [255, 140],
  mediaTypes: ['json', 'any'],
  unknownFields: ['ignore', 'reject'],
  malformedBody: [400, 422, 'empty'],
  bodyChecked: ['afterKey', 'beforeKey'],
  rateLimitHeaders: ['x', 'ietf', 'none', 'retryAfter'],
  unknownPath: ['authenticated', 'public'],
  paths: ['strict', 'redirect', 'lenient'],
  envelope: [{}, { trace: { id: '{request_id uuid}' } }],
  eventHeaders: [{}, { 'X-Service-Delivery': '{delivery}' }],
  deprecation: ['none', dates],
  timestamps: ['offset', 'zulu', 'compactOffset', 'fraction'],
  transactionShape: ['full', 'minimal'],
  pagination: ['page', 'laravel', 'cursor', 'array', 'link'],
  errorShape: [
    'envelope',
    'extra',
    'bare',
    'html',
    { status: 400 },
    { body: { m: '{message}', mode: '{mode}' } },
  ],
  retrySchedule: ['default', 'none', ['1s']],
  idempotency: ['on', 'off', 'conflictOnReplay'],
  currencies: ['default', ['USD', 'EUR']],
};

const mixed: readonly object[] = [
  { modeOn401: 'null', errorShape: 'extra' },
  { modeOn401: 'guess', refusals: { authentication: { body: { mode: '{mode}', at: '{{mode}' } } } },
  {
    feeMode: 'onTop',
    fees: [{ percent: '2' }],
    refund: 'lessFee',
    returnRefund: 'none',
    debitAt: 'completed',
  },
  { debitAt: 'processing', hold: 'none', transitions: 'skip', unknownStatus: 'invented' },
  {
    unknownStatus: 'invented',
    events: ['completed', 'failed', 'under_review'],
    durations: { under_review: '9s' },
  },
  { unknownStatus: 'invented', events: ['completed', 'failed'] },
  {
    foreignPayment: 'permission_error',
    errorShape: 'bare',
    refusals: { foreign_payment: { message: 'Not yours.' } },
  },
  { foreignPayment: 'not_found', refusals: { foreign_payment: { status: 410 } } },
  {
    rateLimitHeaders: 'none',
    retryAfter: 'date',
    refusals: { rate_limit: { headers: { 'X-Reason': '{type}' } } },
  },
  { rateLimitHeaders: 'ietf', retryAfter: 'date' },
  { deprecation: dates, pagination: 'link', headers: { all: { 'X-Version': '1' } } },
  { envelope: { a: 1 }, beside: { getPayment: { b: '{id}' } } },
  {
    amountLimits: { minimum: '2.00', maximum: '3000.00' },
    excessPrecision: 'truncate',
    amountText: 'accept',
  },
  { currencies: ['USD', 'EUR'], sameCurrency: 'reject', currencyCase: 'normalise' },
];

/** The profiles. The first one has every setting. */
export const earlierProfiles: readonly ProfileChoice[] = [
  everything,
  {},
  ...Object.entries(values).flatMap(([name, list]) => list.map((value) => ({ [name]: value }))),
  ...mixed,
];
