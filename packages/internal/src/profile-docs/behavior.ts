import type { BehaviorSetting } from '../profile/behavior.ts';
import type { SettingDocs } from './setting-doc.ts';

/** The documentation of the settings for the behavior of payments, webhooks and limits. */
export const behaviorDocs: SettingDocs<BehaviorSetting> = {
  hold: {
    group: 'Money',
    client: 'does not assume that funds are reserved',
    description:
      'whether a payment reserves its funds until a later debit; without a hold, a debit without funds makes the payment fail',
  },
  returnRefund: {
    group: 'Money',
    client: 'does not assume a refund after `failed`',
    description: 'the refund of a completed payment that fails: that of `refund`, or another one',
  },
  durations: {
    group: 'Payments',
    client: 'polls until a time limit that the caller sets',
    values: '`{ pending?, processing?, under_review?, completed? }`',
    example: { pending: '500ms', processing: ['2s', '20s'] },
    description:
      'the time in each status: a duration, or the shortest and the longest one, of which each payment has its own; `completed` is the time until a return; by default 1 s, 3 s, 3 s and 5 s',
  },
  outcomes: {
    group: 'Payments',
    client: 'reports the final status, whatever its cause',
    values: '`[{ account?, name?, amount?, outcome }]`',
    example: [
      { account: { suffix: '0000' }, outcome: 'fail' },
      { name: { equals: 'Fail Ltd' }, outcome: 'fail_early' },
      { amount: { from: '9000.00', to: '9999.99' }, outcome: 'stuck' },
    ],
    description:
      'the outcomes of payments in test mode; the first rule that matches applies; a condition for the account or the name has `equals`, `prefix` or `suffix`, one for the amount `equals`, `from`, `to` or `suffix`; an outcome is `ok`, `fail`, `fail_early`, `return`, `stuck`, `pending`, `instant`, `hook_first`, `hook_dup`, `hook_shuffle`, `500`, `drop` or `unavailable`; by default the [magic values](magic-values.md)',
  },
  extraStatuses: {
    group: 'Payments',
    client: 'passes unknown statuses through as not final',
    values: '`[{ status, after, account?, name?, amount?, duration?, webhook? }]`',
    example: [
      { status: 'in_review', after: 'pending', amount: { from: '5000.00' }, duration: ['5s', '20s'] },
    ],
    description:
      'statuses that the document does not have, with the status before each of them (`pending` or `processing`), the conditions of `outcomes` and a duration (3 s by default); `webhook: false` sends no event',
  },
  retrySchedule: {
    group: 'Webhooks',
    client: 'responds 200',
    values: '`default` `none`, or a list of durations',
    example: ['5s', '5s', '1m'],
    description:
      'eight attempts over about 27 hours, one attempt, or the delays between a failed attempt and the next one',
  },
  deliveryFaults: {
    group: 'Webhooks',
    client: 'deduplicates, and orders events by status',
    values: '`none`, or `{ duplicates?, reorder?, delay? }`',
    example: { duplicates: 0.3, reorder: 0.1, delay: ['0s', '2s'] },
    description:
      'the probabilities that an event is sent twice, and after the next event of its payment; and the time between an event and its webhook, a duration or the shortest and the longest one',
  },
  rateLimit: {
    group: 'Responses',
    client: 'waits for `Retry-After`, else backs off',
    values: '`none`, or `{ requests, window, method? }`',
    example: { requests: 20, window: '1s', method: 'POST' },
    description:
      'the number of requests per time window, for each account and mode, of all methods or one; responses to others lack headers with `{remaining}`; a limit that the control API sets replaces it',
  },
  retryAfter: {
    group: 'Responses',
    client: 'reads both',
    description: 'the form of `Retry-After`: seconds, or an HTTP date, with the time of the mock in `Date`',
  },
  latency: {
    group: 'Responses',
    client: 'ends an attempt at its timeout',
    values: 'a duration, or the shortest and the longest one',
    example: ['150ms', '900ms'],
    description: 'the real time before each response; 0 by default',
  },
  readLag: {
    group: 'Responses',
    client: 'waits for the option `readLag` before it concludes that a payment does not exist',
    values: '`{ payments?, balance?, transactions? }`',
    example: { payments: '500ms', balance: '2s', transactions: '5s' },
    description:
      'the time by which reads are behind the payments: a new payment is 404, and the balance and the list do not have it; deposits and the control API have no lag',
  },
};
