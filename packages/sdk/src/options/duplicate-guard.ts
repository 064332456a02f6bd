import { IdempotencyError } from '../errors/answer-errors.ts';
import { ConfigurationError } from '../errors/local-errors.ts';
import { redactCause } from '../errors/redact.ts';
import { isServiceError } from '../errors/service-error.ts';
import { createAlone, type Within } from './alone.ts';
import { toHex } from '../values/hex.ts';
import type { Warning } from './warnings.ts';

/**
 * Holds what is known of a create: a digest of its body, and what became of it. `unknown` it may exist, `created` it does,
 * `none` it does not and the reference is free.
 */
export type DuplicateRecord = {
  readonly digest: string;
  readonly state: 'unknown' | 'created' | 'none';
  readonly id?: string;
};

/**
 * Keeps records by reference, for as long as a create could be repeated; plain JSON, without names and accounts. `put` writes
 * over what is there. To hold processes apart that share the store and begin in the same moment, it fails for one case alone:
 * a record that is `unknown` where there is one that is `unknown` or `created`.
 */
export type DuplicateStore = {
  readonly get: (
    reference: string,
  ) => Promise<DuplicateRecord | null | undefined> | DuplicateRecord | null | undefined;
  readonly put: (reference: string, record: DuplicateRecord) => unknown;
};

/** Holds a create as the guard sees it. */
export type GuardedCreate<T extends { readonly data: { readonly id: string } }> = {
  readonly body: string;
  readonly create: () => Promise<T>;
  readonly retrieve: (id: string) => Promise<T>;
  readonly warn: (warning: Warning) => void;
  /**
   * Does what is asked of the store no longer than the call may take; once the create `isOver`, also after its signal was aborted.
   * Default: without a limit.
   */
  readonly within?: Within | undefined;
};

/** Keeps one reference from paying twice. */
export type DuplicateGuard = {
  /**
   * Creates a payment unless the reference has one: then that is retrieved.
   *
   * @throws IdempotencyError (`not_sent`) while the outcome of an earlier create is unknown, and for another body.
   * @throws ConfigurationError (`not_sent`) when the store fails before anything was sent.
   */
  readonly protect: <T extends { readonly data: { readonly id: string } }>(
    reference: string,
    guarded: GuardedCreate<T>,
  ) => Promise<T>;
  /** Says which payment the create of a reference made, once that is known. A store that fails is told as a warning. */
  readonly resolve: (
    reference: string,
    id: string,
    options?: Partial<Pick<GuardedCreate<never>, 'warn' | 'within'>>,
  ) => Promise<void>;
  /**
   * Frees a reference whose create is in doubt; for a person who has made sure that there is no payment, and will be none.
   *
   * @throws ConfigurationError when the store fails.
   */
  readonly release: (reference: string) => Promise<void>;
};

/** Makes a store that lives as long as the process; for one process, and for tests. */
export function createMemoryStore(): DuplicateStore {
  const records = new Map<string, DuplicateRecord>();
  return {
    get: (reference) => records.get(reference),
    put: (reference, record) => records.set(reference, record),
  };
}

/**
 * Makes a guard over a store. It holds creates of one reference in this process apart: one that is asked for while another runs
 * waits for that one, and is given its payment. Processes that share a store are held apart by its `put`.
 *
 * @throws ConfigurationError for what is no store.
 */
export function createDuplicateGuard(store: DuplicateStore): DuplicateGuard {
  if (typeof store?.get !== 'function' || typeof store.put !== 'function') {
    throw new ConfigurationError(
      'createDuplicateGuard needs a store: an object with the functions get and put.',
    );
  }
  const alone = createAlone();
  return {
    protect: async (reference, guarded) => {
      const { body, within = unbounded } = guarded;
      const digest = await toDigest(body);
      const work = async (): ReturnType<typeof guarded.create> => {
        const id = await within(() => claim({ store, reference, digest }));
        if (id !== undefined) return guarded.retrieve(id);
        return carryOut(guarded, async (record) => void (await store.put(reference, { digest, ...record })));
      };
      return alone(reference, work, within);
    },
    resolve: async (reference, id, { warn, within = unbounded } = {}) => {
      const settle = async (): Promise<void> => {
        const record = await find(store, reference);
        if (record !== undefined) await store.put(reference, { ...record, state: 'created', id });
      };
      const bounded = (): Promise<void> => within(settle, true);
      await alone(reference, bounded, (step) => within(step, true)).catch(() => warn?.(stillInDoubt));
    },
    release: (reference) => {
      const free = async (): Promise<void> => {
        const record = await find(store, reference);
        if (record?.state === 'unknown') await ask(() => store.put(reference, { ...record, state: 'none' }));
      };
      return alone(reference, free, unbounded);
    },
  };
}

const unbounded: Within = (step) => step();

const stillInDoubt: Warning = {
  code: 'guard_failed',
  message:
    'The store of the duplicate guard failed: the reference stays in doubt, although the create is over.',
};

type Claim = { readonly store: DuplicateStore; readonly reference: string; readonly digest: string };

/** Takes a reference for a create, or returns the id of the payment that it has. */
async function claim({ store, reference, digest }: Claim): Promise<string | undefined> {
  const record = await find(store, reference);
  if (record !== undefined && record.state !== 'none') {
    if (record.digest !== digest) throw refuse('was used for a payment with another body');
    if (record.state === 'created' && record.id !== undefined) return record.id;
    throw refuse('was used for a payment that may exist: reconcile that one first');
  }
  // Before anything is sent, so that a crash leaves it in doubt and not free.
  await ask(() => store.put(reference, { digest, state: 'unknown' }));
  return undefined;
}

async function carryOut<T extends { readonly data: { readonly id: string } }>(
  { create, warn, within = unbounded }: GuardedCreate<T>,
  put: (record: Omit<DuplicateRecord, 'digest'>) => Promise<void>,
): Promise<T> {
  const keep = (record: Omit<DuplicateRecord, 'digest'>): Promise<void> =>
    within(() => put(record), true).catch(() => warn(stillInDoubt));
  try {
    const made = await create();
    await keep({ state: 'created', id: made.data.id });
    return made;
  } catch (error) {
    const isOver = isServiceError(error) && (error.outcome === 'rejected' || error.outcome === 'not_sent');
    if (isOver) await keep({ state: 'none' });
    throw error;
  }
}

/** Reads what the store knows of a reference. @throws ConfigurationError (`not_sent`) when it fails, or gives what is no record */
async function find(store: DuplicateStore, reference: string): Promise<DuplicateRecord | undefined> {
  const record = (await ask(() => store.get(reference))) ?? undefined;
  if (record === undefined || (typeof record.digest === 'string' && typeof record.state === 'string'))
    return record;
  throw new ConfigurationError(
    'The store of the duplicate guard gave what it was never given; nothing was sent. Is its JSON parsed?',
  );
}

async function ask<T>(step: () => Promise<T> | T): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw new ConfigurationError('The store of the duplicate guard failed; nothing was sent.', {
      cause: redactCause(cause),
    });
  }
}

function refuse(why: string): IdempotencyError {
  return new IdempotencyError(`The reference ${why}. Nothing was sent.`, { outcome: 'not_sent' });
}

async function toDigest(text: string): Promise<string> {
  // Pages over plain http and React Native have none.
  if (!globalThis.crypto?.subtle)
    throw new ConfigurationError('The duplicate guard needs Web Crypto (crypto.subtle).');
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toHex(new Uint8Array(bytes));
}
