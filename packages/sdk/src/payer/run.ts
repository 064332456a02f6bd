import type { Mode, Payment } from '../models.ts';
import type { Intent } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';
import type { IntentUpdate, Payer } from './payer-types.ts';
import { readWanted, searchPayments } from './search.ts';
import { findRunEnd, recover, sendIntent } from './send.ts';

/** Creates `run` of a payer. */
export function createRun(context: PayerContext): Payer['run'] {
  /** The retrieved payments, so that the next search continues. */
  const known = new Map<string, Payment>();
  return async function* run({ signal } = {}) {
    const mode = await context.open();
    await context.writer.synchronize();
    for (const intent of await context.store.list({ hasConflicts: true }))
      for (const conflict of intent.conflicts ?? []) yield { ...toUpdate(intent), conflict };
    yield* sendAll(context, mode, signal);
    if (signal?.aborted) return;
    try {
      yield* searchAll(context, known, signal);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  };
}

function toUpdate(intent: Intent): IntentUpdate {
  return { reference: intent.reference, state: intent.state, intent };
}

/** Sends all intents that may be sent, `concurrency` of them at the same time. */
async function* sendAll(
  context: PayerContext,
  mode: Mode,
  signal: AbortSignal | undefined,
): AsyncGenerator<IntentUpdate> {
  const { store, concurrency } = context;
  const running = new Set<Promise<void>>();
  const done: IntentUpdate[] = [];
  const failures: unknown[] = [];
  const send = async (intent: Intent): Promise<void> => {
    const update = await sendOne(intent, context, mode);
    if (update) done.push(update);
    const end = findRunEnd(update?.error);
    if (end !== undefined) failures.push(end);
  };
  const listed = await store.list({ states: ['planned', 'sending', 'unknown'] });
  try {
    for (const intent of listed) {
      if (signal?.aborted || failures.length > 0) break;
      const work: Promise<void> = send(intent)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(work));
      running.add(work);
      if (running.size >= concurrency) await Promise.race(running);
      yield* done.splice(0);
    }
  } finally {
    // Also after a `break` of the caller: no create is left without its record.
    await Promise.all(running);
  }
  yield* done;
  if (failures.length > 0) throw failures[0] as Error;
}

/** Returns the update of an intent that was sent. */
async function sendOne(listed: Intent, context: PayerContext, mode: Mode): Promise<IntentUpdate | undefined> {
  const sent = await sendIntent(await recover(listed, context), context, { mode });
  const { intent, refused, payment, error, storeError } = sent;
  if (refused !== undefined) return undefined;
  // The record of a payment that the store did not take is made later.
  if (storeError !== undefined)
    return { ...toUpdate(intent), state: payment ? 'created' : 'unknown', payment, error: storeError };
  const conflict = payment && intent.conflicts?.find(({ paymentId }) => paymentId === payment.id);
  return { ...toUpdate(intent), payment, conflict, error };
}

/** Searches the payments of all intents with an unknown outcome and ended leases. */
async function* searchAll(
  context: PayerContext,
  known: Map<string, Payment>,
  signal: AbortSignal | undefined,
): AsyncGenerator<IntentUpdate> {
  const searched = [];
  for (const unresolved of await context.store.list({ states: ['sending', 'unknown'] })) {
    const { intent, refused } = await context.writer.apply(unresolved, { type: 'lapsed' });
    if (refused === undefined) yield toUpdate(intent);
    const wanted = refused !== 'leased' && intent.state === 'unknown' && (await readWanted(intent, context));
    if (wanted) searched.push({ intent, wanted });
  }
  if (searched.length === 0) return;
  for await (const { intent, result } of searchPayments(searched, context, signal, known))
    if (result.result === 'found') yield { ...toUpdate(intent), payment: result.payment };
}
