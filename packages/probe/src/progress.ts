import type { ProfileSetting } from './finding.ts';

/** The subjects of measurements, by their first setting. */
const subjects: { readonly [Name in ProfileSetting]?: string } = {
  fees: 'the fee of amounts of each size',
  feeMode: 'the fee of amounts of each size',
  currencies: 'quotes to each currency, and changes of a rate',
  amountLimits: 'the smallest and the largest amount',
  textLimit: 'creates without funds',
  createStatus: 'a payment until it completes',
  refund: 'payments until they fail',
  events: 'webhooks',
  ack: 'webhooks that the service sends again',
  rateLimitHeaders: 'the rate limit',
};

/** Describes the subject of a measurement. */
export function describeSubject([first, ...more]: readonly ProfileSetting[]): string {
  return first === undefined ? '' : (subjects[first] ?? [first, ...more].join(', '));
}
