import { createReferenceError, type Intent, intentStates, type StoreAccount } from './intent.ts';
import { checkTexts } from '../body.ts';
import { createUsageError } from '../errors.ts';
import { createIntentWriter } from './intent-writer.ts';
import { parsePayerOptions, type PayerSettings } from './payer-options.ts';
import { createRun } from './payer-run.ts';
import type { Client } from '../client.ts';
import type { IntentSummary, Payer, PayerOptions } from './payer-types.ts';
import { createResolve } from './resolve-intent.ts';
import type { SendContext } from './send-intent.ts';
import { createStoreTime } from './store-time.ts';
import { encodeBody, prepareIntentBody } from './stored-body.ts';

/**
 * Creates a payer over a store of intents. It opens no connection.
 *
 * @throws {ConfigurationError} when an option is missing, unknown or invalid.
 * @example
 * const payer = createPayer(client, { store: createSqliteStore('payments.db') });
 * await payer.plan('invoice-42', body);
 * for await (const { reference, state } of payer.run()) console.log(reference, state);
 */
export function createPayer(client: Client, options: PayerOptions): Payer {
  const settings = parsePayerOptions(client, options);
  const time = createStoreTime(settings.store, settings.access.search.clock);
  const writer = createIntentWriter(settings, time);
  const unsent = new Set<string>();
  const open = async (): Promise<SendContext> => {
    const { mode } = await openStore(settings);
    await time.synchronize();
    return { settings, time, writer, unsent, mode };
  };
  // A run checks the account again, because the API key can have changed.
  const openOnce = callOnce(open);
  const prepare: Payer['prepare'] = async (reference, body) => {
    checkReference(reference);
    await openOnce();
    return prepareIntent(reference, body, { settings, date: time.date() });
  };
  return {
    prepare,
    plan: async (reference, body) => {
      const planned = await prepare(reference, body);
      const result = await settings.store.swap(planned, 0);
      const found = result === 'done' ? planned : await settings.store.read(reference);
      if (found?.digest === planned.digest) return found;
      throw createReferenceError(
        'was planned with another request body. Plan that body, or use a new reference for a different payment',
        found,
      );
    },
    run: createRun(open),
    resolve: createResolve(openOnce),
    summary: async () => {
      await openOnce();
      return summarize(settings);
    },
  };
}

/** Shares the result of the first call that succeeds. */
function callOnce<T>(call: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= call();
    result.catch(() => (result = undefined));
    return result;
  };
}

/**
 * Records the account of a new store.
 *
 * @throws {ConfigurationError} when the store belongs to another account.
 */
async function openStore({ access, store, label }: PayerSettings): Promise<StoreAccount> {
  if (!store.bindAccount)
    throw createUsageError(
      'createPayer: `store` must have the function `bindAccount`, which records its account.',
    );
  const own = { mode: await access.getMode(), baseUrl: access.settings.baseUrl, label };
  const bound = await store.bindAccount(own);
  for (const name of ['mode', 'baseUrl', 'label'] as const) {
    if (bound[name] === own[name]) continue;
    throw createUsageError(
      `The intent store belongs to another account: its ${name} is '${bound[name]}', not '${own[name]}'. Nothing was read or sent. Use a new store, or the client of that account.`,
    );
  }
  return bound;
}

function checkReference(reference: unknown): void {
  if (typeof reference !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(reference))
    throw createUsageError('The reference must be 1 to 255 visible ASCII characters.');
}

async function prepareIntent(
  reference: string,
  body: unknown,
  { settings, date }: { readonly settings: PayerSettings; readonly date: Date },
): Promise<Intent> {
  const { fields, digest, beneficiary } = await prepareIntentBody(body, settings);
  checkTexts({ reference, ...fields });
  const stored = await encodeBody(fields, reference, settings);
  return {
    reference,
    version: 1,
    state: 'planned',
    digest,
    key: settings.access.search.clock.unique(),
    sends: [],
    changedAt: date.toISOString(),
    ...(stored !== undefined && { body: stored }),
    ...(beneficiary && { beneficiary }),
  };
}

async function summarize({ store }: PayerSettings): Promise<IntentSummary> {
  const states = Object.fromEntries(intentStates.map((state) => [state, 0])) as Record<
    Intent['state'],
    number
  >;
  let total = 0;
  let conflicts = 0;
  let oldestUnresolved: string | undefined;
  for await (const intent of store.list({})) {
    const { state, sends } = intent;
    states[state] += 1;
    total += 1;
    if (intent.conflicts) conflicts += 1;
    const [first] = state === 'sending' || state === 'unknown' ? sends : [];
    if (first !== undefined && (oldestUnresolved === undefined || first < oldestUnresolved))
      oldestUnresolved = first;
  }
  return { states, total, conflicts, oldestUnresolved };
}
