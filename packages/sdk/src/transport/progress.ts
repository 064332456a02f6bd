import type { Mode } from '@service/contract';
import type { UnknownPhase } from '../errors/payment-outcome-unknown.ts';
import type { ErrorFacts } from '../errors/service-error.ts';

/** Names how far a request has come. */
export type Phase = 'preparing' | Exclude<UnknownPhase, 'recorded'>;

/** Records how far one request came, as it happens: what is given up in the middle can still say so. */
export type Stage = {
  phase: Phase;
  received: string;
  status?: number;
  requestId?: string | undefined;
  mode?: Mode | undefined;
};

/** Records what happens to one call over its requests. */
export type Progress = {
  attempts: number;
  /** When the first request left. */
  sentAt: Date | undefined;
  /** How far the last request came of which nobody knows what became; undefined while there is none. */
  doubt: Exclude<UnknownPhase, 'recorded'> | undefined;
  salvagedId: string | undefined;
  /** The latest request; one that was given up writes into its own record, which nobody reads any more. */
  stage: Stage;
};

/** Starts the record of a call. */
export function startProgress(): Progress {
  return { attempts: 0, sentAt: undefined, doubt: undefined, salvagedId: undefined, stage: startStage() };
}

/** Starts the record of a request. */
export function startStage(): Stage {
  return { phase: 'preparing', received: '' };
}

/** Returns what the record of a call tells an error. */
export function pickFacts({ attempts, stage: { status, requestId, mode } }: Progress): ErrorFacts {
  return { attempts, status, requestId, mode };
}

/** Keeps in mind that a request may have been carried out, and the id that its answer still showed. */
export function noteDoubt(progress: Progress): void {
  const { phase, received } = progress.stage;
  if (phase === 'preparing') return;
  progress.doubt = phase;
  // An id that is cut short is none.
  progress.salvagedId ??= /"id"\s*:\s*"(pay_(?:test|live)_[\w-]+)"/.exec(received)?.[1];
}
