import { ConfigurationError } from '../errors.ts';
import { MAX_ROUNDS } from './checked-store.ts';
import type { Intent } from './intent.ts';
import type { PayerSettings } from './payer-options.ts';
import type { StoreTime } from './store-time.ts';
import { decide, type IntentEvent, type Refusal } from './transitions.ts';

/** The result of an event: the written or the latest version of the intent. */
interface Applied {
  readonly intent: Intent;
  /** Undefined if the event changed the intent. */
  readonly refused?: Refusal | undefined;
}

/** Writes events of intents to a store. */
export interface IntentWriter {
  /**
   * Writes the next version of an intent after an event. Decides again from the latest version if another
   * write came first. Records a payment id that another reference has as a conflict.
   *
   * @throws {ConfigurationError} when the store fails. The write may have been applied, or may be later.
   */
  readonly apply: (intent: Intent, event: IntentEvent) => Promise<Applied>;
}

/** Creates the writer of a payer. */
export function createIntentWriter(settings: PayerSettings, time: StoreTime): IntentWriter {
  const { store, rules } = settings;
  const { read, swap } = store;
  const apply: IntentWriter['apply'] = async (intent, event) => {
    let current = intent;
    let pending = event;
    for (let round = 0; round < 2 * MAX_ROUNDS; round += 1) {
      const decision = decide(current, pending, { now: time.date(), rules });
      if ('refused' in decision) return { intent: current, refused: decision.refused };
      const { next } = decision;
      const result = await swap(next, current.version);
      if (result === 'done') return { intent: next };
      if (result === 'lost') current = (await read(current.reference)) ?? { ...current, version: 0 };
      else if ('worker' in pending) pending = await replaceTaken(pending, next);
      else return { intent: current, refused: 'id_taken' };
    }
    throw new ConfigurationError(
      'The intent store rejected every write. Make sure that its `read` returns the latest write.',
    );
  };
  /** Returns the event to write after another reference turned out to have the payment id. */
  const replaceTaken = async (
    event: Extract<IntentEvent, { readonly worker: string }>,
    { reference, paymentId = '' }: Intent,
  ): Promise<IntentEvent> => {
    for await (const holder of store.list({ paymentIds: [paymentId] })) {
      if (holder.reference === reference) continue;
      if (event.type === 'responded') {
        const { refused } = await apply(holder, { type: 'displaced', paymentId });
        if (refused === undefined) return event;
      }
      return { type: 'id_taken', worker: event.worker, paymentId, holder: holder.reference };
    }
    // It was released in the meantime.
    return event;
  };
  return { apply };
}
