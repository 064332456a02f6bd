import type { Clock } from '../transport/deadline.ts';
import { ConfigurationError } from '../errors.ts';
import { describeStoreFailure, redactCause } from '../redact.ts';
import { isRecord } from '@service/internal';
import {
  type Intent,
  type IntentFilter,
  type IntentStore,
  intentStates,
  type StoreAccount,
  type SwapResult,
} from './intent.ts';
import type { CallStore } from './store-retries.ts';

/** Maximum number of attempts at a write. An attempt fails if another write came first. */
export const MAX_ROUNDS = 5;

/** An intent store that validates results and throws only `ConfigurationError`. */
export interface CheckedStore {
  readonly fingerprintKey: string | undefined;
  readonly read: (reference: string) => Promise<Intent | undefined>;
  /** Writes an intent, by default with a new write id. */
  readonly swap: (next: Intent, fromVersion: number, writeId?: string) => Promise<SwapResult>;
  readonly list: (filter: IntentFilter) => AsyncIterable<Intent>;
  /** Undefined if the store has no such function. */
  readonly bindAccount: ((account: StoreAccount) => Promise<StoreAccount>) | undefined;
  /** Returns the time of the store. */
  readonly now: () => Promise<Date>;
}

/** The user of a store, and its calls. */
interface CheckedStoreOptions {
  /** The name of the function in messages. */
  readonly owner?: 'reconcileAll' | 'createPayer';
  /** @default calls the store once */
  readonly call?: CallStore;
}

const states: ReadonlySet<unknown> = new Set(intentStates);

/**
 * Wraps an intent store in validation.
 *
 * @throws {ConfigurationError} when the value is not an intent store.
 */
export function checkStore(
  store: IntentStore,
  clock: Clock,
  { owner = 'createPayer', call = callOnce }: CheckedStoreOptions = {},
): CheckedStore {
  const methods = store as unknown as Readonly<Record<string, unknown>> | undefined;
  if (!['read', 'swap', 'list'].every((name) => typeof methods?.[name] === 'function')) {
    throw new ConfigurationError(
      `${owner}: \`store\` must be an object with the functions \`read\`, \`swap\` and \`list\`.`,
    );
  }
  const { fingerprintKey } = store;
  if (fingerprintKey !== undefined && !(typeof fingerprintKey === 'string' && fingerprintKey.length >= 32)) {
    throw new ConfigurationError(
      `${owner}: \`fingerprintKey\` of the store must be a string of at least 32 characters.`,
    );
  }
  const callStore: CallStore = async (step) => {
    try {
      return await call(step);
    } catch (error) {
      throw toStoreError(error);
    }
  };
  return {
    fingerprintKey,
    read: async (reference) => {
      const found = (await callStore(() => store.read(reference))) ?? undefined;
      return found === undefined ? undefined : checkIntent(found, reference);
    },
    swap: async (next, fromVersion, writeId = clock.unique()) => {
      // A repeated call has the same write id, so that it returns `done` if the first one was applied.
      const result = await callStore(() => store.swap(next, { fromVersion, writeId }));
      if (result === 'done' || result === 'lost' || result === 'id_taken') return result;
      throw new ConfigurationError("`swap` of the intent store must return 'done', 'lost' or 'id_taken'.");
    },
    list: (filter) => listIntents(store, filter, callStore),
    bindAccount: store.bindAccount && ((account) => bindAccount(store, account, callStore)),
    now: () => readTime(store, clock, callStore),
  };
}

/** Yields the intents of a list. One that fails is continued after its last intent. */
async function* listIntents(
  store: IntentStore,
  filter: IntentFilter,
  call: CallStore,
): AsyncGenerator<Intent> {
  let { after } = filter;
  let source: AsyncIterator<Intent> | undefined;
  try {
    for (;;) {
      const { from, step } = await call(async () => {
        const opened = source ?? store.list({ ...filter, after })[Symbol.asyncIterator]();
        // An attempt that fails or is late does not leave its iterator to the next one.
        source = undefined;
        return { from: opened, step: await opened.next() };
      });
      if (step.done) return;
      source = from;
      const intent = checkIntent(step.value);
      after = intent.reference;
      yield intent;
    }
  } finally {
    await source?.return?.();
  }
}

async function readTime(store: IntentStore, clock: Clock, call: CallStore): Promise<Date> {
  const time = await call(() => store.now?.() ?? clock.date());
  if (time instanceof Date && !Number.isNaN(time.getTime())) return time;
  throw new ConfigurationError('`now` of the intent store must return a Date.');
}

async function bindAccount(
  store: IntentStore,
  account: StoreAccount,
  call: CallStore,
): Promise<StoreAccount> {
  const bound = await call(() => store.bindAccount?.(account));
  if (bound && (['mode', 'baseUrl', 'label'] as const).every((name) => typeof bound[name] === 'string'))
    return bound;
  throw new ConfigurationError('`bindAccount` of the intent store must return the recorded account.');
}

function checkIntent(value: unknown, reference?: string): Intent {
  if (isRecord(value) && isIntent(value) && (reference === undefined || value.reference === reference)) {
    return value as unknown as Intent;
  }
  throw new ConfigurationError(
    'The intent store returned a value that is not an intent. Return parsed JSON with all fields of the intent.',
  );
}

function isIntent({ version, state, digest, key, sends }: Record<string, unknown>): boolean {
  return (
    Number.isSafeInteger(version) &&
    states.has(state) &&
    [digest, key].every((text) => typeof text === 'string') &&
    Array.isArray(sends)
  );
}

async function callOnce<T>(step: () => T | Promise<T>): Promise<T> {
  return step();
}

function toStoreError(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error;
  return new ConfigurationError(
    `The intent store failed: ${describeStoreFailure(error)}. Nothing was sent.`,
    { cause: redactCause(error) },
  );
}
