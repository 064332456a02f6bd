import type { Warning } from '../options/log.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import type { WithTimeout } from './guard-types.ts';
import type { Intent } from './intent.ts';

/** The fields of an intent after its create. */
export type IntentResult = Partial<Pick<Intent, 'paymentId' | 'reason' | 'sends'>> & Pick<Intent, 'state'>;

/** The store, the time limit of its operations, and the receiver of warnings. */
export interface SettleContext {
  readonly store: CheckedStore;
  readonly within: WithTimeout;
  readonly warn: (warning: Warning) => void;
}

/**
 * Records the result of a create that was sent. A payment in its response overwrites all changes made in the
 * meantime. Two payments of one reference cause a warning. Never throws.
 */
export async function settle(sent: Intent, result: IntentResult, context: SettleContext): Promise<void> {
  const { warn, within, store } = context;
  const { holder, ...base } = sent;
  let conflict: Warning | undefined;
  let next = result;
  let from: number = sent.version;
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // The lease stays: until it ends, the request can still arrive and the reference must not be released.
      const lease = next.state === 'unknown' ? { holder } : {};
      const intent: Intent = { ...base, ...next, ...lease, version: from + 1 };
      const written = await within(() => store.swap(intent, from));
      if (written === 'done') return conflict && warn(conflict);
      if (written === 'id_taken') {
        conflict = toConflict(sent, result, 'another reference has that payment id');
        next = { state: 'unknown', reason: `${result.paymentId} is held by another reference` };
        continue;
      }
      const found = await within(() => store.read(sent.reference));
      if (found && !isOutranked(found, sent, next)) return conflict && warn(conflict);
      conflict = toConflict(sent, result, found && describeSecondPayment(found, sent, result)) ?? conflict;
      from = found?.version ?? 0;
    }
  } catch {
    // A failing store must not hide a payment that exists or may exist.
  }
  warn(conflict ?? storeFailed);
}

/** Returns whether a result overwrites the record that was found in its place. */
function isOutranked(found: Intent, { holder }: Intent, { state, paymentId }: IntentResult): boolean {
  const isOwn = found.state === 'sending' && found.holder?.worker === holder?.worker;
  if (state === 'created') return found.state !== 'created' || found.paymentId !== paymentId;
  // The reference was released while its request was running, so a payment may exist again.
  return isOwn || (state === 'unknown' && found.state === 'planned');
}

/** Returns a description of a second payment that the record shows, or undefined. */
function describeSecondPayment(
  found: Intent,
  { holder }: Intent,
  { paymentId }: IntentResult,
): string | undefined {
  if (found.paymentId !== undefined && found.paymentId !== paymentId) {
    return `the reference has the payment ${found.paymentId}, which may be a second payment`;
  }
  const isOther = found.state === 'sending' && found.holder?.worker !== holder?.worker;
  return isOther
    ? 'another worker is sending the reference again, which may create a second payment'
    : undefined;
}

function toConflict(
  { reference }: Intent,
  { paymentId }: IntentResult,
  problem: string | undefined,
): Warning | undefined {
  if (problem === undefined || paymentId === undefined) return undefined;
  return {
    code: 'guard_conflict',
    message: `${paymentId} was created for the reference ${reference}, but ${problem}. Check both payments.`,
  };
}

const storeFailed: Warning = {
  code: 'guard_failed',
  message:
    'The intent store failed after the create. The reference is not sent again until its payment is reconciled or the reference is released.',
};
