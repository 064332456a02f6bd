import type { Mode } from '@service/contract';
import type { UnknownPhase } from '../errors/payment-outcome-unknown.ts';

/** Names how far a request has come. */
export type Phase = 'preparing' | UnknownPhase;

/** Records what happens to one call as it happens, so that a failure can say how far it had come. */
export type Progress = {
  phase: Phase;
  attempts: number;
  /** When the first request left. */
  sentAt: Date | undefined;
  received: string;
  status: number | undefined;
  requestId: string | undefined;
  mode: Mode | undefined;
  /** How far the last request came of which nobody knows what became; undefined while there is none. */
  doubt: UnknownPhase | undefined;
  salvagedId: string | undefined;
};

/** Starts the record of a call. */
export function startProgress(): Progress {
  return { attempts: 0, sentAt: undefined, doubt: undefined, salvagedId: undefined, ...fresh };
}

const fresh = {
  phase: 'preparing',
  received: '',
  status: undefined,
  requestId: undefined,
  mode: undefined,
} as const;

/** Clears what the attempt before this one came to; what remains in doubt stays so. */
export function startAttempt(progress: Progress): void {
  Object.assign(progress, fresh);
}

/** Keeps in mind that a request may have been carried out, and the id that its answer still showed. */
export function noteDoubt(progress: Progress): void {
  if (progress.phase === 'preparing') return;
  progress.doubt = progress.phase;
  // An id that is cut short is none.
  progress.salvagedId ??= /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(progress.received)?.[1];
}
