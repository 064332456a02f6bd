import { modes } from '@service/contract';
import { applySeed, applyStanding, checkSeed } from '../seed/apply.ts';
import type { SandboxSeed } from '../seed/seed.ts';
import { encodeState, readSnapshot, restoreEncoded, type Snapshot } from '../state/snapshot.ts';
import type { Context } from './operation.ts';

/**
 * Replaces the state by that of a seed.
 *
 * @throws {SandboxError} without a change for an invalid seed
 */
export function loadSeed(parts: Context, seed: SandboxSeed): void {
  checkSeed(seed);
  const blank = parts.createBlank(seed);
  applySeed(blank, seed, blank.state.clock.now());
  parts.standing = blank.standing;
  parts.baseline = encodeState(blank.state);
  resetState(parts);
}

/** Restores the state at the baseline. */
export function resetState(parts: Context): void {
  restoreEncoded(parts.state, parts.baseline);
  resume(parts);
  applyStanding(parts);
}

/**
 * Restores the state of a snapshot.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreSnapshot(parts: Context, snapshot: Snapshot): void {
  restoreEncoded(parts.state, readSnapshot(snapshot));
  resume(parts);
}

/** Records and resumes the restored state. */
function resume(parts: Context): void {
  parts.state.changes.recordState();
  resumeState(parts);
}

/** Resumes a restored state: removes faults and logged requests, and resumes the deliveries. */
export function resumeState({ state, deliveries, faults, requestLog }: Context): void {
  for (const each of [...Object.values(faults), requestLog]) each.clear();
  deliveries.resume([...state.accounts.values()].flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
  state.clock.catchUp();
}
