import type { Snapshot } from '@service/mock';
import type { StateSnapshot } from '../../packages/mock/src/state/snapshot.ts';

/** Returns the state of a snapshot, which users get without its type. */
export function stateOf({ state }: Snapshot): StateSnapshot {
  return state as StateSnapshot;
}
