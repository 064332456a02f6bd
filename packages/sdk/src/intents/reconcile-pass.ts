import type { Payment } from '../models.ts';
import { ServiceError } from '../errors.ts';
import { parseReconcileInput, type WantedPayment } from '../resources/reconcile-input.ts';
import type { Intent } from './intent.ts';
import type { IntentUpdate } from './payer-types.ts';
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
      others: {
        listHeld: (ids) => rivals.listHeld(intent.reference, ids),
        hasTwin: () => rivals.has(intent.reference, wanted),
        accept: async (payment) => {
          const applied = await writer.apply(intent, { type: 'reconciled', paymentId: payment.id });
          if (applied.refused !== undefined) return false;
          const { reference, state } = applied.intent;
          updates.push({ reference, state, intent: applied.intent, payment });
          return true;
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
  /** Returns those of the payments that belong to other references, or are among their conflicts. */
  readonly listHeld: (reference: string, paymentIds: readonly string[]) => Promise<ReadonlySet<string>>;
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
    listHeld: async (own, paymentIds) => {
      const held = new Set<string>();
      if (paymentIds.length > 0)
        for await (const { paymentId, reference } of store.list({ paymentIds }))
          if (paymentId !== undefined && reference !== own) held.add(paymentId);
      // A conflict of this reference is a payment that a person has to check, too.
      for await (const { paymentId = '', reference, conflicts = [] } of store.list({ hasConflicts: true }))
        for (const conflict of conflicts)
          if (reference !== own || conflict.paymentId !== paymentId) held.add(conflict.paymentId);
      return held;
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
    const wanted = parseReconcileInput({ ...fields, since }, { clockSkew: settings.rules.clockSkew });
    return { ...wanted, paymentId: intent.paymentId };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}
