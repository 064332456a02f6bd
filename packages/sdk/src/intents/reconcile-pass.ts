import { isServiceError } from '../errors/service-error.ts';
import { parseReconcileInput, type WantedPayment } from '../reconcile/reconcile-input.ts';
import type { Payment } from '../values/models.ts';
import type { Intent } from './intent.ts';
import type { IntentUpdate } from './payer-types.ts';
import { findHolders } from './recall.ts';
import { type BatchItem, canBeSame, reconcileBatch } from './reconcile-all.ts';
import type { SendContext } from './send-intent.ts';
import { decodeBody } from './stored-body.ts';

/** An intent whose payment may exist, and the search for it. Undefined without a readable body. */
interface Rival {
  readonly intent: Intent;
  readonly wanted: WantedPayment | undefined;
}

/** The changes of a search, and the error that ended it. */
interface ReconcileResult {
  readonly updates: readonly IntentUpdate[];
  readonly error?: unknown;
}

/** Searches for the payments of all intents with an unknown outcome and ended leases. */
export type ReconcilePass = (signal: AbortSignal | undefined) => Promise<ReconcileResult>;

/** Creates the search of a payer. Retrieved payments are kept, so that the next pass continues. */
export function createReconcilePass(context: SendContext): ReconcilePass {
  const { settings, writer } = context;
  const { access, reconcileTime } = settings;
  const progress = new Map<string, Payment>();
  return async (signal) => {
    const updates: IntentUpdate[] = [];
    const rivals = createRivals(context);
    const toItem = (intent: Intent, wanted: WantedPayment): BatchItem => ({
      wanted,
      guard: {
        holders: rivals.findHolders,
        recall: async () => undefined,
        hasTwin: () => rivals.has(intent.reference, wanted),
        resolve: async (_, paymentId) => {
          const applied = await writer.apply(intent, { type: 'reconciled', paymentId });
          if (applied.refused !== undefined) return 'id_taken';
          const { reference, state } = applied.intent;
          updates.push({ reference, state, intent: applied.intent, payment: progress.get(paymentId) });
          return 'bound';
        },
      },
    });
    try {
      const items: BatchItem[] = [];
      for (const intent of await closeLapsed(context, updates)) {
        const wanted = await readWanted(intent, context);
        if (wanted) items.push(toItem(intent, wanted));
      }
      const limits = { access, signal, timeLimit: reconcileTime, progress, onPage: rivals.expire };
      if (items.length > 0) await reconcileBatch(items, limits);
      return { updates };
    } catch (error) {
      return { updates, error };
    }
  };
}

/**
 * Changes the state of all intents with an ended lease to `unknown`, and adds these updates. Returns the intents that no
 * worker is sending.
 */
async function closeLapsed(
  { settings, writer }: SendContext,
  updates: IntentUpdate[],
): Promise<readonly Intent[]> {
  const intents: Intent[] = [];
  for await (const unresolved of settings.store.list({ states: ['sending', 'unknown'] })) {
    const { intent, refused } = await writer.apply(unresolved, { type: 'lapsed' });
    const { reference, state } = intent;
    if (refused === undefined) updates.push({ reference, state, intent });
    if (refused !== 'leased' && state === 'unknown') intents.push(intent);
  }
  return intents;
}

/** The intents whose payment may exist although no record has its id. */
interface Rivals {
  /** Returns whether the payment of another intent can look like the wanted one. */
  readonly has: (reference: string, wanted: WantedPayment) => Promise<boolean>;
  readonly findHolders: (paymentIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Reads the intents again before the next use: creates on a new page were recorded after the last list. */
  readonly expire: () => void;
}

function createRivals(context: SendContext): Rivals {
  const { store } = context.settings;
  let rivals: Promise<readonly Rival[]> | undefined;
  return {
    has: async (reference, wanted) =>
      (await (rivals ??= readRivals(context))).some(
        (rival) =>
          rival.intent.reference !== reference &&
          (rival.wanted === undefined || canBeSame(wanted, rival.wanted)),
      ),
    findHolders: async (paymentIds) => {
      const holders = new Map(await findHolders(store, paymentIds));
      for await (const { reference, conflicts = [] } of store.list({ hasConflicts: true }))
        for (const { paymentId } of conflicts)
          if (!holders.has(paymentId)) holders.set(paymentId, `${reference} (conflict)`);
      return holders;
    },
    expire: () => (rivals = undefined),
  };
}

/** Reads the intents whose payment may exist although no record has its id. */
async function readRivals(context: SendContext): Promise<readonly Rival[]> {
  const rivals: Rival[] = [];
  const states = ['sending', 'unknown', 'abandoned'] as const;
  for await (const intent of context.settings.store.list({ states })) {
    if (intent.sends.length > 0) rivals.push({ intent, wanted: await readWanted(intent, context) });
  }
  return rivals;
}

/** Returns the search for the payment of an intent, or undefined if its body cannot be read. */
async function readWanted(
  intent: Intent,
  { settings, time }: SendContext,
): Promise<WantedPayment | undefined> {
  try {
    const fields = await decodeBody(intent, settings);
    // The sends are times of the store.
    const offset = settings.access.search.clock.date().getTime() - time.date().getTime();
    const since = new Date(Date.parse(intent.sends[0] ?? '') + offset);
    const { reference } = intent;
    const wanted = parseReconcileInput(
      { ...fields, since, reference },
      { clockSkew: settings.rules.clockSkew },
    );
    return { ...wanted, paymentId: intent.paymentId };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return undefined;
  }
}
