import { modes } from '@service/contract';
import { applyStanding } from '../seed/apply.ts';
import { readSnapshot, restoreEncoded, type Snapshot, type StateSnapshot } from '../state/snapshot.ts';
import type { Context } from './operation.ts';

/** Restores the state at the baseline. */
export function resetState(parts: Context): void {
  replaceState(parts, parts.baseline);
  applyStanding(parts);
}

/**
 * Restores the state of a snapshot.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreSnapshot(parts: Context, snapshot: Snapshot): void {
  replaceState(parts, readSnapshot(snapshot));
}

function replaceState(parts: Context, encoded: StateSnapshot): void {
  restoreEncoded(parts.state, encoded);
  parts.state.changes.recordState();
  resumeState(parts);
}

/** Resumes a restored state: removes faults and logged requests, and resumes the deliveries. */
export function resumeState({ state, deliveries, faults, requestLog }: Context): void {
  for (const each of [...Object.values(faults), requestLog]) each.clear();
  deliveries.resume([...state.accounts.values()].flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
  state.clock.catchUp();
}
