import { createDeferred } from '@service/internal';
import type { Intent } from './intent.ts';
import type { IntentUpdate, Payer } from './payer-types.ts';
import { createReconcilePass, type ReconcilePass } from './reconcile-pass.ts';
import { endsRun, type SendContext, sendIntent } from './send-intent.ts';

/** Creates `run` of a payer. `open` checks the account of the store. */
export function createRun(open: () => Promise<SendContext>): Payer['run'] {
  let reconcile: ReconcilePass | undefined;
  return async function* run({ signal } = {}) {
    const context = await open();
    yield* reportConflicts(context);
    yield* sendAll(context, signal);
    if (signal?.aborted) return;
    reconcile ??= createReconcilePass(context);
    const { updates, error } = await reconcile(signal);
    yield* updates;
    if (error !== undefined && !signal?.aborted) throw error as Error;
    if (!signal?.aborted) await removeBodies(context);
  };
}

async function* reportConflicts({ settings }: SendContext): AsyncGenerator<IntentUpdate> {
  for await (const intent of settings.store.list({ hasConflicts: true })) {
    const { reference, state, conflicts = [] } = intent;
    for (const conflict of conflicts) yield { reference, state, intent, conflict };
  }
}

/**
 * Sends all intents that may be sent. `concurrency` limits claims and creates; results are recorded while the
 * next intents are sent, because a durable write takes as long as some creates.
 */
async function* sendAll(context: SendContext, signal: AbortSignal | undefined): AsyncGenerator<IntentUpdate> {
  const { store, concurrency } = context.settings;
  const sending = new Set<Promise<void>>();
  const recording = new Set<Promise<void>>();
  const done: IntentUpdate[] = [];
  const failures: unknown[] = [];
  const start = (intent: Intent): void => {
    const slot = createDeferred();
    sending.add(slot.promise);
    const release = (error?: unknown): void => {
      if (endsRun(error)) failures.push(error);
      sending.delete(slot.promise);
      slot.resolve();
    };
    const work = sendOne(intent, context, release)
      .then(
        (update) => update && done.push(update) && release(update.error),
        (error: unknown) => failures.push(error),
      )
      .then(() => {
        release();
        recording.delete(work);
        return undefined;
      });
    recording.add(work);
  };
  try {
    for await (const intent of store.list({ states: ['planned', 'sending', 'unknown'] })) {
      if (signal?.aborted || failures.length > 0) break;
      start(intent);
      if (sending.size >= concurrency) await Promise.race(sending);
      if (recording.size >= 2 * concurrency) await Promise.race(recording);
      yield* done.splice(0);
    }
  } catch (error) {
    // The payments that were already made are yielded before it is thrown.
    failures.push(error);
  } finally {
    // Also after a `break` of the caller: no create is left without its record.
    await Promise.all(recording);
  }
  yield* done;
  if (failures.length > 0) throw failures[0] as Error;
}

async function sendOne(
  listed: Intent,
  context: SendContext,
  onResult: (error: unknown) => void,
): Promise<IntentUpdate | undefined> {
  const { writer, unsent } = context;
  const worker = listed.holder?.worker;
  if (listed.state !== 'sending' || worker === undefined || !unsent.has(worker))
    return sendIntent(listed, context, onResult);
  // The write of this claim was applied after all, but its create was not sent.
  const { intent, refused } = await writer.apply(listed, { type: 'not_sent', worker });
  return refused === undefined ? sendIntent(intent, context, onResult) : undefined;
}

/** Removes the bodies of intents that are final for longer than `bodyRetention`. */
async function removeBodies({ settings, writer, time }: SendContext): Promise<void> {
  const { store, bodyRetention } = settings;
  if (bodyRetention === undefined) return;
  const limit = new Date(time.date().getTime() - bodyRetention).toISOString();
  for await (const intent of store.list({ states: ['created', 'rejected', 'abandoned'] })) {
    if (intent.body !== undefined && intent.changedAt !== undefined && intent.changedAt <= limit)
      await writer.apply(intent, { type: 'body_expired' });
  }
}
