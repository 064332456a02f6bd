import type { Mode } from '@service/contract';
import type { UnknownPhase } from '../errors/payment-outcome-unknown.ts';

/** Names how far a request has come. */
export type Phase = 'preparing' | UnknownPhase;

/** Records what happens to one call as it happens, so that a failure can say how far it had come. */
export type Progress = {
  phase: Phase;
  attempts: number;
  sentAt: string;
  received: string;
  status: number | undefined;
  requestId: string | undefined;
  mode: Mode | undefined;
};

/** Starts the record of a call. */
export function startProgress(): Progress {
  return {
    phase: 'preparing',
    attempts: 0,
    sentAt: '',
    received: '',
    status: undefined,
    requestId: undefined,
    mode: undefined,
  };
}
