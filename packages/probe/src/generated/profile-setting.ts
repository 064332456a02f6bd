// Generated from the table of the settings by `npm run generate`. Do not edit.
/** The names of the profile settings. */
export const profileSettings = [
  'successStatus',
  'absent',
  'numbers',
  'timestamps',
  'refusals',
  'headers',
  'rateLimit',
  'retryAfter',
  'readLag',
  'bothKeys',
  'paths',
  'requestBody',
  'amounts',
  'texts',
  'currencies',
  'idempotency',
  'minorUnits',
  'rounding',
  'fees',
  'rates',
  'wallets',
  'debitAt',
  'refund',
  'statuses',
  'outcomes',
  'rows',
  'pagination',
  'listQuery',
  'events',
  'ack',
  'retrySchedule',
  'deliveryFaults',
] as const;

/** The name of a profile setting: a behavior that the service's document leaves open. */
export type ProfileSetting = (typeof profileSettings)[number];
