/** Durations of the service in milliseconds, before they are divided by the speed. */
export const durations = {
  screening: 2_400,
  transfer: 4_500,
  returnAfter: 7_000,
  quoteLifetime: 120_000,
  idempotencyLifetime: 24 * 3_600_000,
  rateWindow: 60_000,
  outage: 30_000,
  webhookDispatch: 250,
} as const;

/** Time before each further delivery of a webhook that was not acknowledged. */
export const webhookRetries = [5_000, 25_000, 120_000, 600_000, 3_600_000] as const;
export const WEBHOOK_TIMEOUT = 10_000;
/** Shortest timeout at any speed, so that a busy endpoint has time to answer. */
export const MIN_WEBHOOK_TIMEOUT = 3_000;

/** Part of a duration by which it varies in both directions. */
export const DURATION_SPREAD = 0.25;

/** Requests of one key in a rate window. */
export const REQUESTS_PER_WINDOW = 900;

/** Payments from this amount on, in hundredths, are screened for longer. */
export const EXTENDED_SCREENING_FROM = 1_000_000n;
export const EXTENDED_SCREENING_FACTOR = 1.8;

export const MAX_AMOUNT = 999_999_999.99;
export const BODY_LIMIT = 100 * 1_024;
export const BASE_PATH = '/api/v1';

/** Beneficiary accounts with a known outcome in test mode. */
export const testAccounts = {
  closed: 'FR7630006000011234567890189',
  returned: 'FR7630006000011234567890286',
  unavailable: 'FR7630006000011234567890383',
} as const;
