import { type Field, isRecord, type RequiredField } from '@service/internal';
import { ConfigurationError, TimeoutError } from '../errors.ts';
import { describeStoreFailure, redactCause } from '../redact.ts';
import { type Clock, sleep, withDeadline } from '../transport/deadline.ts';
import type { Intent, IntentStore, SwapResult } from './intent.ts';

/** Maximum number of attempts at a write. An attempt fails if another write came first. */
export const MAX_ROUNDS = 5;

/** An intent store that validates results, repeats operations that fail, and throws only `ConfigurationError`. */
export interface CheckedStore extends Pick<IntentStore, 'fingerprintKey' | 'read' | 'list' | 'bindAccount'> {
  readonly swap: (next: Intent, fromVersion: number) => Promise<SwapResult>;
  /** Returns the time of the store. */
  readonly now: () => Promise<Date>;
}

/** The times of the operations of a store, in milliseconds. */
interface StoreLimits {
  readonly clock: Clock;
  /** Maximum time of one attempt. */
  readonly timeout: number;
  /** The time after the first attempt for which a failing operation is repeated. */
  readonly period: number;
}

const STATE = /^(planned|sending|unknown|created|rejected|abandoned)$/;

/** The secret key of the stored HMACs. */
export const fingerprintKeyField: Field<string> = {
  expected: 'a string of at least 32 characters',
  parse: (value) => (typeof value === 'string' && value.length >= 32 ? value : undefined),
};

const methods = ['read', 'swap', 'list', 'bindAccount'] as const;

/** An intent store. */
export const storeField: RequiredField<IntentStore> = {
  expected:
    'an object with the functions read, swap, list and bindAccount, and optionally a fingerprintKey of at least 32 characters: sqliteStore(path), postgresStore(pool) or one of your own. memoryStore() is for tests: it forgets its payments at a restart, and they are made again',
  isRequired: true,
  parse: (value) => {
    const store = value as IntentStore | null | undefined;
    const { fingerprintKey = 'x'.repeat(32) } = store ?? {};
    const isStore = methods.every((name) => typeof store?.[name] === 'function');
    return isStore && fingerprintKeyField.parse(fingerprintKey) ? (store ?? undefined) : undefined;
  },
};

/** Wraps an intent store in validation and repetition. */
export function checkStore(store: IntentStore, limits: StoreLimits): CheckedStore {
  const { clock } = limits;
  const call = <T>(step: () => T | Promise<T>): Promise<T> => callStore(step, limits);
  return {
    fingerprintKey: store.fingerprintKey,
    read: async (reference) => {
      const found = (await call(() => store.read(reference))) ?? undefined;
      return found === undefined ? undefined : checkIntent(found, reference);
    },
    swap: async (next, fromVersion) => {
      // A repeated call has the same write id, so that it returns `done` if the first one was applied.
      const writeId = clock.unique();
      const result = await call(() => store.swap(next, { fromVersion, writeId }));
      if (result === 'done' || result === 'lost' || result === 'id_taken') return result;
      throw new ConfigurationError("`swap` of the intent store must return 'done', 'lost' or 'id_taken'.");
    },
    list: async (filter) => {
      const found: unknown = await call(() => store.list(filter));
      if (Array.isArray(found)) return found.map((intent) => checkIntent(intent));
      throw new ConfigurationError('`list` of the intent store must return an array of intents.');
    },
    bindAccount: (account) => call(() => store.bindAccount(account)),
    now: () => call(() => store.now?.() ?? clock.date()),
  };
}

function checkIntent(value: unknown, reference?: string): Intent {
  if (isRecord(value) && (reference === undefined || value.reference === reference)) {
    const { version, state, digest, key, sends } = value;
    const areTexts = typeof digest === 'string' && typeof key === 'string';
    if (Number.isSafeInteger(version) && STATE.test(String(state)) && areTexts && Array.isArray(sends))
      return value as unknown as Intent;
  }
  throw new ConfigurationError(
    'The intent store returned a value that is not an intent. Return parsed JSON with all fields of the intent.',
  );
}

/** The least number of attempts. On a busy machine one attempt can use the whole period. */
const MIN_ATTEMPTS = 5;
/** The wait after the first failed attempt, in milliseconds. Doubled after each further one. */
const FIRST_WAIT = 50;
const MAX_WAIT = 1_000;

const createStoreTimeout = (): TimeoutError =>
  new TimeoutError('The intent store did not respond within the `timeout` of the client.');

/**
 * Repeats an operation of a store, for a database that restarts. An error that the store itself explains, a
 * `ConfigurationError`, is thrown at once.
 */
async function callStore<T>(step: () => T | Promise<T>, { clock, timeout, period }: StoreLimits): Promise<T> {
  const limits = { timeout, signal: undefined, clock };
  const end = clock.now() + period;
  let delay = FIRST_WAIT;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withDeadline(limits, async () => step(), createStoreTimeout);
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      if (attempt >= MIN_ATTEMPTS && clock.now() >= end)
        throw new ConfigurationError(
          `The intent store failed for ${Math.ceil(period / 1_000)} s: ${describeStoreFailure(error)}. Repair it, then plan, pay or run again: recorded intents continue, and no payment is made twice.`,
          { cause: redactCause(error) },
        );
      await sleep(delay, new AbortController().signal, clock);
      delay = Math.min(2 * delay, MAX_WAIT);
    }
  }
}

/** Returns the intent of a row of a database. */
export function parseIntent({ intent }: Readonly<Record<string, unknown>>): Intent {
  return JSON.parse(String(intent)) as Intent;
}
