import type { Payment, SentFields } from '../models.ts';
import { AbortError, ServiceError, UnreadableResponseError, ValidationError } from '../errors.ts';
import { onAbort } from '../transport/deadline.ts';
import { type OtherCreates, reconcile, type Reconciliation } from '../reconcile/reconcile.ts';
import { canBeSame } from '../comparison.ts';
import { parseReconcileInput, type WantedPayment } from '../reconcile/input.ts';
import { createReader } from '../reconcile/reader.ts';
import { decodeBody, digestLookalikes } from './body.ts';
import { type Intent, OTHER_PAYMENT } from '../stores/intent.ts';
import type { PayerContext } from './payer.ts';

/** An intent whose payment may exist, and the search for it. */
interface Searched {
  readonly intent: Intent;
  readonly wanted: WantedPayment;
}

/**
 * Searches the payments of intents with an unknown outcome and ended leases, newest first, and binds those that it
 * finds. Reads each page of transactions and each payment once. Ends early at the time limit and on abort.
 *
 * @param known The payments that were retrieved. New ones are added, so that the next search continues.
 */
export async function* searchPayments(
  searched: readonly Searched[],
  context: PayerContext,
  signal: AbortSignal | undefined,
  known?: Map<string, Payment>,
): AsyncGenerator<{ readonly intent: Intent; readonly result: Reconciliation }> {
  const { access, writer, reconcileTime } = context;
  const limit = new AbortController();
  const stop = (): void => limit.abort();
  const cancelTimer = access.search.clock.schedule(stop, reconcileTime);
  const unwatch = signal && onAbort(signal, stop);
  if (signal?.aborted) stop();
  const rivals = createRivals(context);
  const reader = createReader(access.search, limit.signal, rivals.expire, known);
  let invalid: ServiceError | undefined;
  try {
    for (const { intent, wanted } of searched.toSorted((a, b) => b.wanted.sentAt - a.wanted.sentAt)) {
      if (limit.signal.aborted) return;
      let latest = intent;
      const disown = async (paymentId: string, reason: string): Promise<void> => {
        ({ intent: latest } = await writer.apply(latest, { type: 'disowned', paymentId, reason }));
      };
      const others: OtherCreates = {
        listHeld: (paymentIds) => listHeld(intent, paymentIds, context),
        // Its time does not matter: it can be sent again.
        listTwins: async () => ((await rivals.include({ intent, wanted })) ? [-Infinity] : []),
        disown: (paymentId) => disown(paymentId, OTHER_PAYMENT),
        accept: async ({ id }) => {
          const { intent: applied, refused } = await writer.apply(latest, {
            type: 'reconciled',
            paymentId: id,
          });
          latest = applied;
          if (refused === undefined) access.record.closeIntent(applied.key, id);
          // The next search looks for another payment.
          if (refused === 'id_taken') await disown(id, `${id} is held by another reference.`);
          return refused === undefined;
        },
      };
      try {
        const result = await reconcile(wanted, reader, others);
        yield { intent: latest, result };
      } catch (error) {
        // The id in a response cannot be retrieved, for example one of the other mode. Others can.
        if (!(error instanceof ValidationError || error instanceof UnreadableResponseError)) throw error;
        invalid ??= error;
      }
    }
    if (invalid !== undefined) throw invalid;
  } catch (error) {
    if (!limit.signal.aborted || !(error instanceof AbortError)) throw error;
  } finally {
    cancelTimer();
    unwatch?.();
  }
}

/** Returns the search for the payment of an intent with this body. */
export function toWanted(
  { sends, unprovenPaymentId: paymentId, returnedFields = {} }: Intent,
  fields: SentFields,
  { access, writer, rules }: PayerContext,
): WantedPayment {
  // The sends are times of the store.
  const offset = access.search.clock.date().getTime() - writer.date().getTime();
  const sentAt = sends[0] === undefined ? writer.date().getTime() : Date.parse(sends[0]);
  const since = new Date(sentAt + offset);
  const wanted = parseReconcileInput({ ...fields, since }, { clockSkew: rules.clockSkew, exclude: [] });
  return {
    ...wanted,
    paymentId,
    returnedFields: { ...access.record.getReturnedFields(), ...returnedFields },
  };
}

/** Returns the search for the payment of an intent with a stored body; undefined if that cannot be read. */
export async function readWanted(intent: Intent, context: PayerContext): Promise<WantedPayment | undefined> {
  try {
    return toWanted(intent, await decodeBody(intent, context), context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return undefined;
  }
}

/** Returns those of the payments that other references have, or that do not fit any. */
async function listHeld(own: Intent, paymentIds: readonly string[], { store }: PayerContext) {
  const others = (await store.list({ paymentIds })).filter(({ reference }) => reference !== own.reference);
  const conflicting = (await store.list({ hasConflicts: true })).flatMap(({ conflicts = [] }) => conflicts);
  return new Set([...others, ...conflicting].flatMap(({ paymentId }) => paymentId ?? []));
}

function createRivals(context: PayerContext) {
  const read = async () => {
    const listed = await context.store.list({ states: ['sending', 'unknown', 'abandoned'] });
    const sent = listed.filter(({ sends }) => sends.length > 0);
    return Promise.all(sent.map(async (intent) => ({ intent, wanted: await readWanted(intent, context) })));
  };
  let list: ReturnType<typeof read> | undefined;
  return {
    /** Returns whether the payment of another intent can look like the wanted one. */
    include: async ({ intent: own, wanted: { fields } }: Searched) => {
      const digests = new Set([own.digest, ...(await digestLookalikes(fields, context.store, false))]);
      return (await (list ??= read())).some(({ intent, wanted }) => {
        if (intent.reference === own.reference) return false;
        // `pay` stores digests of the body only.
        const { body, digest, lookalikes = [] } = intent;
        if (body === undefined) return [digest, ...lookalikes].some((one) => digests.has(one));
        return wanted === undefined || canBeSame(fields, wanted.fields);
      });
    },
    /** Reads the intents again before the next use: creates on a new page were recorded after the last list. */
    expire: () => void (list = undefined),
  };
}
