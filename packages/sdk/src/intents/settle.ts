import type { Within } from '../options/alone.ts';
import type { Warning } from '../options/warnings.ts';
import { type CheckedStore, MAX_ROUNDS } from './checked-store.ts';
import type { Intent } from './intent.ts';

/** The fields of an intent once its create is over. */
export type IntentResult = Partial<Pick<Intent, 'paymentId' | 'reason' | 'sends'>> & Pick<Intent, 'state'>;

/** The store, its bounds, and the receiver of warnings. */
export interface SettleContext {
  readonly store: CheckedStore;
  readonly within: Within;
  readonly warn: (warning: Warning) => void;
}

/**
 * Writes the result of a create that was sent. The response to the create outranks whatever another worker or a person wrote
 * meanwhile; two payments of one reference become a warning. Never throws.
 */
export async function settle(sent: Intent, result: IntentResult, context: SettleContext): Promise<void> {
  const { warn, within, store } = context;
  const { holder, ...base } = sent;
  let conflict: Warning | undefined;
  let next = result;
  let from: number = sent.version;
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      // The lease of an unknown outcome stays: until its end, nobody may say that no payment was made.
      const lease = next.state === 'unknown' ? { holder } : {};
      const intent: Intent = { ...base, ...next, ...lease, version: from + 1 };
      const written = await within(() => store.swap(intent, from));
      if (written === 'done') return conflict && warn(conflict);
      if (written === 'id_taken') {
        conflict = toConflict(sent, result, 'another reference holds that id');
        next = { state: 'unknown', reason: `${result.paymentId} is held by another reference` };
        continue;
      }
      const found = await within(() => store.read(sent.reference));
      if (found && !isOutranked(found, sent, next)) return conflict && warn(conflict);
      conflict = toConflict(sent, result, found && describeRival(found, sent, result)) ?? conflict;
      from = found?.version ?? 0;
    }
  } catch {
    // The payment was made or may exist: a store that fails must not hide that.
  }
  warn(conflict ?? storeFailed);
}

/** Whether a result is written over the record that was found in its place. */
function isOutranked(found: Intent, { holder }: Intent, { state, paymentId }: IntentResult): boolean {
  const isOwn = found.state === 'sending' && found.holder?.worker === holder?.worker;
  if (state === 'created') return found.state !== 'created' || found.paymentId !== paymentId;
  // A reference that was released although its request was still on its way is no longer free.
  return isOwn || (state === 'unknown' && found.state === 'planned');
}

/** Describes a second payment that the record shows, if it does. */
function describeRival(found: Intent, { holder }: Intent, { paymentId }: IntentResult): string | undefined {
  if (found.paymentId !== undefined && found.paymentId !== paymentId) {
    return `the reference was bound to ${found.paymentId}, which may be a second payment`;
  }
  const isOther = found.state === 'sending' && found.holder?.worker !== holder?.worker;
  return isOther
    ? 'another worker is sending the reference again, which may make a second payment'
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
    message: `${paymentId} was created for the reference ${reference}, but ${problem}. Check both.`,
  };
}

const storeFailed: Warning = {
  code: 'guard_failed',
  message:
    'The intent store failed after the create: its reference stays closed until the payment is reconciled or released.',
};
