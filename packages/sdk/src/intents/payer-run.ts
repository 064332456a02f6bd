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

/** Sends all intents that may be sent, with limited concurrency. */
async function* sendAll(context: SendContext, signal: AbortSignal | undefined): AsyncGenerator<IntentUpdate> {
  const { store, concurrency } = context.settings;
  const running = new Set<Promise<void>>();
  const done: IntentUpdate[] = [];
  const failures: unknown[] = [];
  const start = async (intent: Intent): Promise<void> => {
    try {
      const update = await sendOne(intent, context);
      if (update) done.push(update);
      if (endsRun(update?.error)) failures.push(update?.error);
    } catch (error) {
      failures.push(error);
    }
  };
  try {
    for await (const intent of store.list({ states: ['planned', 'sending', 'unknown'] })) {
      if (signal?.aborted || failures.length > 0) break;
      const work = start(intent).finally(() => running.delete(work));
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

async function sendOne(listed: Intent, context: SendContext): Promise<IntentUpdate | undefined> {
  const { writer, unsent } = context;
  const worker = listed.holder?.worker;
  if (listed.state !== 'sending' || worker === undefined || !unsent.has(worker))
    return sendIntent(listed, context);
  // The write of this claim was applied after all, but its create was not sent.
  const { intent, refused } = await writer.apply(listed, { type: 'not_sent', worker });
  return refused === undefined ? sendIntent(intent, context) : undefined;
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
