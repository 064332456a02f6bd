import type { Clock } from '../transport/deadline.ts';
import { ConfigurationError } from '../errors.ts';
import type { Intent } from '../stores/intent.ts';
import { type CheckedStore, MAX_ROUNDS } from '../stores/checked-store.ts';
import { decide, type IntentEvent, type Refusal, type SendRules } from './transitions.ts';

/** Writes events of intents to a store, at the time of the store, by which all workers compare leases. */
export interface IntentWriter {
  /** Reads the clock of the store. Called before the first use, and at the start of each payment and run. */
  readonly synchronize: () => Promise<void>;
  readonly date: () => Date;
  /**
   * Writes the next version of an intent after an event. Returns it, or the latest version if the event is `refused`.
   * Decides again from the latest version if another write came first. Records a payment id that another reference has as a conflict.
   *
   * @throws {ConfigurationError} when the store fails. The write may have been applied, or may be later.
   */
  readonly apply: (intent: Intent, event: IntentEvent) => Promise<{ intent: Intent; refused?: Refusal }>;
}

/** Creates the writer of a payer. */
export function createIntentWriter(store: CheckedStore, rules: SendRules, clock: Clock): IntentWriter {
  let base = { time: 0, now: clock.now(), date: 0 };
  const date = (): Date => {
    // The later one of two clocks: one stops while the machine sleeps, the other can be set back.
    const elapsed = Math.max(clock.now() - base.now, clock.date().getTime() - base.date);
    return new Date(base.time + elapsed);
  };
  const apply: IntentWriter['apply'] = async (intent, event) => {
    let current = intent;
    let pending = event;
    for (let round = 0; round < 2 * MAX_ROUNDS; round += 1) {
      const decision = decide(current, pending, { now: date(), rules });
      if ('refused' in decision) return { intent: current, refused: decision.refused };
      const { next } = decision;
      const result = await store.swap(next, current.version);
      if (result === 'done') return { intent: next };
      if (result === 'lost') current = (await store.read(current.reference)) ?? { ...current, version: 0 };
      else {
        const replaced = await replaceTaken(pending, next);
        if (replaced === undefined) return { intent: current, refused: 'id_taken' };
        pending = replaced;
      }
    }
    throw new ConfigurationError(
      'The intent store rejected every write. Make sure that its `read` returns the latest write.',
    );
  };
  /** Returns the event to write after another reference turned out to have the payment id, if there is one. */
  const replaceTaken = async (
    event: IntentEvent,
    { reference, paymentId = '' }: Intent,
  ): Promise<IntentEvent | undefined> => {
    const holders = await store.list({ paymentIds: [paymentId] });
    const holder = holders.find((one) => one.reference !== reference);
    // It was released in the meantime.
    if (holder === undefined) return event;
    if (event.type !== 'responded') return undefined;
    // The search that found the payment for the other reference compared its amount, too.
    const displaced = event.isExact && (await apply(holder, { type: 'displaced', paymentId }));
    if (displaced && displaced.refused === undefined) return event;
    return { type: 'id_taken', worker: event.worker, paymentId, holder: holder.reference };
  };
  return {
    synchronize: async () => {
      // The clocks of this machine are read first, so that the time of the store is not late.
      const [now, today] = [clock.now(), clock.date().getTime()];
      base = { time: (await store.now()).getTime(), now, date: today };
    },
    date,
    apply,
  };
}
