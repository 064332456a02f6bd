import { duration, type Field, nonEmptyText, wholeNumber } from '@service/internal';
import type { Client } from '../client.ts';
import type { Mode } from '../models.ts';
import { createUsageError, parseUsage, TimeoutError } from '../errors.ts';
import { readVariable } from '../options.ts';
import { type ClientAccess, requireAccess } from '../payments.ts';
import { readBody } from './body.ts';
import { checkPlanned, createIntent, type StoreAccount } from '../stores/intent.ts';
import { createPay } from './pay.ts';
import type { Payer, PayerOptions } from './payer-types.ts';
import { createResolve } from './resolve.ts';
import { createRun } from './run.ts';
import { type CheckedStore, checkStore, storeField } from '../stores/checked-store.ts';
import { withDeadline } from '../transport/deadline.ts';
import type { IntentEvent, SendRules } from './transitions.ts';
import { createIntentWriter, type IntentWriter } from './writer.ts';

/** The parts of a payer. Times are in milliseconds. */
export interface PayerContext {
  readonly access: ClientAccess;
  readonly store: CheckedStore;
  readonly writer: IntentWriter;
  readonly rules: SendRules;
  readonly concurrency: number;
  readonly lease: number;
  readonly reconcileTime: number;
  /** The last event of each reference whose record failed. The write can still be applied. */
  readonly unrecorded: Map<string, IntentEvent>;
  /**
   * Compares the account of the store with that of the client, and reads the clock of the store. Returns the mode.
   *
   * @throws {ConfigurationError} when the store belongs to another account, or fails.
   */
  readonly open: () => Promise<Mode>;
}

/**
 * Creates a payer over a store of intents. It opens no connection.
 *
 * @throws {ConfigurationError} when an option is unknown or invalid, or there is no store.
 * @example
 * const payer = createPayer(client, { store: sqliteStore('payments.db') });
 * const payment = await payer.pay('order-42', body);
 */
export function createPayer(client: Client, options: PayerOptions): Payer {
  const context = createContext(client, options);
  const { store, writer } = context;
  const prepare: Payer['prepare'] = async (reference, body) => {
    const { fields, digest } = await readBody(reference, body, context);
    await context.open();
    return {
      ...createIntent(reference, digest, context.access.search.clock.unique()),
      version: 1,
      changedAt: writer.date().toISOString(),
      body: JSON.stringify(fields),
    };
  };
  return {
    pay: createPay(context),
    prepare,
    plan: async (reference, body) => {
      const planned = await prepare(reference, body);
      const result = await store.swap(planned, 0);
      return result === 'done' ? planned : checkPlanned(planned, await store.read(reference));
    },
    run: createRun(context),
    resolve: createResolve(context),
  };
}

const fields = {
  store: storeField,
  account: nonEmptyText,
  concurrency: wholeNumber(100, 1),
  lease: duration,
  clockSkew: wholeNumber(2_147_483_647),
  reconcileTime: duration,
} as const satisfies Record<keyof PayerOptions, Field>;

/** The part of a lease that is left for the writes of the store, by default, in milliseconds. */
const LEASE_MARGIN = 30_000;

const createKeyError = (): TimeoutError =>
  new TimeoutError('The apiKey function did not return within the `timeout` of the client.', {
    outcome: 'not_sent',
  });

function createContext(client: unknown, value: unknown): PayerContext {
  const access = requireAccess(client, 'createPayer');
  const options = parseUsage('The options of createPayer', value ?? {}, fields);
  const { timeout, keyRetention } = access.settings;
  const { clock } = access.search;
  const { lease = timeout + LEASE_MARGIN, clockSkew = 60_000, account = 'default' } = options;
  // After a lease, other workers continue with the intents of this one.
  if (lease <= timeout)
    throw createUsageError(`lease must be longer than the \`timeout\` of the client, ${timeout} ms.`);
  const store = checkStore(options.store, { clock, timeout, period: lease });
  const rules = { keyRetention, timeout, clockSkew };
  const writer = createIntentWriter(store, rules, clock);
  /** The mode in which the account was compared. */
  let bound: Mode | undefined;
  return {
    access,
    store,
    writer,
    rules,
    lease,
    concurrency: options.concurrency ?? 4,
    reconcileTime: options.reconcileTime ?? 60_000,
    unrecorded: new Map(),
    open: async () => {
      // The API key, and its mode with it, can have changed.
      const mode = await withDeadline({ timeout, signal: undefined, clock }, access.getMode, createKeyError);
      if (mode !== bound) {
        await bindAccount(store, { mode, baseUrl: access.settings.baseUrl, label: account });
        await writer.synchronize();
        printTimes(lease, clockSkew);
        bound = mode;
      }
      return mode;
    },
  };
}

/** Prints the times that `service-cli chaos`, which sets the variable, waits for. */
function printTimes(lease: number, clockSkew: number): void {
  if (readVariable('SERVICE_CHAOS_RUN') !== undefined)
    // oxlint-disable-next-line no-console -- read from the output of the application
    console.info(`service payer: lease ${lease} ms, clock skew ${clockSkew} ms`);
}

async function bindAccount(store: CheckedStore, own: StoreAccount): Promise<void> {
  const bound = await store.bindAccount(own);
  for (const name of ['mode', 'baseUrl', 'label'] as const) {
    if (bound[name] === own[name]) continue;
    throw createUsageError(
      `The intent store belongs to another account: its ${name} is '${bound[name]}', not '${own[name]}'. Nothing was read or sent. Use the client of that account. A new store is for other payments: it would pay the same references again.`,
    );
  }
}
