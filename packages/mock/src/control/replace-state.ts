import { modes } from '@service/contract';
import { applySeed, applyStanding, checkSeed } from '../seed/apply.ts';
import type { SandboxSeed } from '../seed/seed.ts';
import type { Account } from '../state/accounts.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import {
  encodeState,
  readSnapshot,
  restoreAccount,
  restoreEncoded,
  type Snapshot,
  type StateSnapshot,
} from '../state/snapshot.ts';
import type { Context } from './operation.ts';

/**
 * Restores a stored state, which replaces the accounts and payments of a seed, but not its faults.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreBaseline(parts: Context, snapshot: Snapshot): void {
  restoreSnapshot(parts, snapshot);
  setBaseline(parts, encodeState(parts.state));
  applyStanding(parts, parts.standing);
}

/** Sets the state that a reset restores, also that of each account. */
export function setBaseline(parts: Context, baseline: StateSnapshot): void {
  parts.baseline = baseline;
  parts.state.accountBaselines.clear();
}

/**
 * Replaces the state by that of a seed.
 *
 * @throws {SandboxError} without a change for an invalid seed
 */
export function loadSeed(parts: Context, seed: SandboxSeed): void {
  checkSeed(seed);
  const blank = parts.createBlank(seed);
  parts.standing = applySeed(blank, seed, blank.state.clock.now());
  setBaseline(parts, encodeState(blank.state));
  resetState(parts);
}

/** Restores the state at the baseline. */
export function resetState(parts: Context): void {
  restoreEncoded(parts.state, parts.baseline);
  parts.state.accountBaselines.clear();
  resume(parts);
  applyStanding(parts, parts.standing);
}

/** Restores the state of an account at its baseline, or at its creation if it was created since then. */
export function resetAccount(parts: Context, account: Account): void {
  const { state, baseline, standing } = parts;
  const { id } = account;
  const accounts = baseline.accounts.filter((each) => each.id === id);
  const known = state.accountBaselines.get(id) ?? { ...baseline, accounts };
  if (known.accounts.length === 0) {
    const message = 'The account was restored from a snapshot and has no baseline. Set one with `baseline`.';
    throw new SandboxError('invalid_state', message);
  }
  resume(parts, restoreAccount(state, account, known));
  applyStanding(
    parts,
    standing.filter((fault) => fault.account === id),
  );
}

/**
 * Restores the state of a snapshot.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreSnapshot(parts: Context, snapshot: Snapshot): void {
  restoreEncoded(parts.state, structuredClone(readSnapshot(snapshot)));
  resume(parts);
}

/** Records and resumes the restored state, or that of one account. */
function resume(parts: Context, account?: Account): void {
  parts.state.durability.recorder?.recordState(account?.id);
  resumeState(parts, account);
}

/** Resumes a restored state, or that of one account: removes faults and logged requests, and resumes its deliveries. */
export function resumeState(parts: Context, account?: Account): void {
  const { state, deliveries, faults, requestLog } = parts;
  for (const each of [...Object.values(faults), requestLog]) each.clear(account?.id);
  const accounts = account === undefined ? [...state.accounts.values()] : [account];
  deliveries.resume(accounts.flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
  state.clock.catchUp();
}
