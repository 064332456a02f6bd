import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import type { Clock } from '../transport/clock.ts';
import { isRecord } from '../values/json.ts';
import type { Intent, IntentFilter, IntentState, IntentStore, SwapResult } from './intent.ts';

/** How often a write that lost against another one is tried anew. */
export const MAX_ROUNDS = 5;

/** An intent store whose failures are errors of this package, and whose answers were checked. */
export interface CheckedStore {
  readonly fingerprintKey: string | undefined;
  readonly read: (reference: string) => Promise<Intent | undefined>;
  /** Writes an intent under a new write id. */
  readonly swap: (next: Intent, fromVersion: number) => Promise<SwapResult>;
  readonly list: (filter: IntentFilter) => AsyncIterable<Intent>;
}

const states = new Set([
  'planned',
  'sending',
  'unknown',
  'created',
  'rejected',
  'abandoned',
] satisfies IntentState[]);

/** Checks that a value is an intent store. @throws {ConfigurationError} when it is not. */
export function checkStore(store: IntentStore, clock: Clock): CheckedStore {
  const methods = store as unknown as Readonly<Record<string, unknown>> | undefined;
  if (!['read', 'swap', 'list'].every((name) => typeof methods?.[name] === 'function')) {
    throw new ConfigurationError(
      'createDuplicateGuard needs an intent store: an object with the functions read, swap and list.',
    );
  }
  const { fingerprintKey } = store;
  if (fingerprintKey !== undefined && !(typeof fingerprintKey === 'string' && fingerprintKey.length >= 32)) {
    throw new ConfigurationError(
      'fingerprintKey of an intent store must be a secret of at least 32 characters.',
    );
  }
  return {
    fingerprintKey,
    read: async (reference) => {
      const found = (await ask(() => store.read(reference))) ?? undefined;
      return found === undefined ? undefined : checkIntent(found, reference);
    },
    swap: async (next, fromVersion) => {
      const result = await ask(() => store.swap(next, { fromVersion, writeId: clock.unique() }));
      if (result === 'done' || result === 'lost' || result === 'id_taken') return result;
      throw new ConfigurationError("swap of an intent store must answer 'done', 'lost' or 'id_taken'.");
    },
    list: async function* (filter) {
      try {
        for await (const intent of store.list(filter)) yield checkIntent(intent);
      } catch (error) {
        throw toFailure(error);
      }
    },
  };
}

function checkIntent(value: unknown, reference?: string): Intent {
  if (isRecord(value) && isIntent(value) && (reference === undefined || value.reference === reference)) {
    return value as unknown as Intent;
  }
  throw new ConfigurationError(
    'The intent store returned something else than an intent. Is its JSON parsed?',
  );
}

function isIntent({ version, state, digest, key, sends }: Record<string, unknown>): boolean {
  return (
    Number.isSafeInteger(version) &&
    states.has(state as IntentState) &&
    [digest, key].every((text) => typeof text === 'string') &&
    Array.isArray(sends)
  );
}

async function ask<T>(step: () => Promise<T> | T): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error;
  return new ConfigurationError('The intent store failed; nothing was sent.', { cause: redactCause(error) });
}
