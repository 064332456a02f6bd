import { callable, duration, type Field, isRecord, parseObject, wholeNumber } from '@service/internal';
import { createUsageError } from '../errors.ts';
import { findPaymentAccess, type PaymentAccess } from '../payments.ts';
import { type CheckedStore, checkStore } from './checked-store.ts';
import type { IntentStore } from './intent.ts';
import type { BodyEncryption, PayerOptions } from './payer-types.ts';
import { createStoreRetries } from './store-retries.ts';
import type { SendRules } from './transitions.ts';

/** The parsed options of a payer. */
export interface PayerSettings {
  readonly access: PaymentAccess;
  readonly store: CheckedStore;
  readonly label: string;
  readonly rules: SendRules;
  readonly concurrency: number;
  readonly lease: number;
  readonly reconcileTime: number;
  readonly load: PayerOptions['load'];
  readonly encryption: BodyEncryption | undefined;
  readonly bodyRetention: number | undefined;
}

const storeRule: Field<IntentStore> = {
  expected: 'an intent store, such as the result of createSqliteStore(path)',
  parse: (value) => (isRecord(value) ? (value as unknown as IntentStore) : undefined),
};
const labelRule: Field<string> = {
  expected: 'a string that is not empty',
  parse: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
};
const encryptionRule: Field<BodyEncryption> = {
  expected: 'an object with the functions encrypt and decrypt',
  parse: (value) =>
    isRecord(value) && typeof value.encrypt === 'function' && typeof value.decrypt === 'function'
      ? (value as unknown as BodyEncryption)
      : undefined,
};
const fields = {
  store: { ...storeRule, isRequired: true },
  account: labelRule,
  concurrency: wholeNumber(100, 1),
  lease: duration,
  clockSkew: wholeNumber(2_147_483_647),
  reconcileTime: duration,
  load: callable<NonNullable<PayerOptions['load']>>(),
  encryption: encryptionRule,
  bodyRetention: wholeNumber(Number.MAX_SAFE_INTEGER),
} as const satisfies Record<keyof PayerOptions, Field>;

/** The part of a lease that is left for the writes of the store, by default, in milliseconds. */
const LEASE_MARGIN = 30_000;

/**
 * Parses the client and the options of a payer.
 *
 * @throws {ConfigurationError} when an option is missing, unknown or invalid.
 */
export function parsePayerOptions(client: unknown, value: unknown): PayerSettings {
  const access = findPaymentAccess(isRecord(client) ? client.payments : undefined);
  if (access === undefined)
    throw createUsageError('createPayer: the first argument must be a client, the result of createClient().');
  const schema = { name: 'The options of createPayer', fields, createError: createUsageError };
  const options = parseObject(value, schema);
  const { timeout, keyRetention } = access.settings;
  const { clock } = access.search;
  const {
    clockSkew = 60_000,
    lease = timeout + LEASE_MARGIN,
    concurrency = 4,
    load,
    encryption,
    bodyRetention,
  } = options;
  if (lease <= timeout)
    throw createUsageError(`lease must be longer than the \`timeout\` of the client, ${timeout} ms.`);
  if (load && (encryption ?? bodyRetention) !== undefined)
    throw createUsageError('encryption and bodyRetention have no effect with load: no body is stored.');
  return {
    access,
    store: checkStore(options.store, clock, {
      owner: 'createPayer',
      // After a lease, other workers continue with the intents of this one.
      call: createStoreRetries({ clock, timeout, period: lease }),
    }),
    label: options.account ?? 'default',
    rules: { keyRetention, timeout, clockSkew, loadsBodies: load !== undefined },
    concurrency,
    lease,
    reconcileTime: options.reconcileTime ?? 60_000,
    load,
    encryption,
    bodyRetention,
  };
}
