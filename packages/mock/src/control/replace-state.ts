import { modes } from '@service/contract';
import { applySeed, applyStanding, checkSeed } from '../seed/apply.ts';
import type { SandboxSeed } from '../seed/seed.ts';
import { type Account, createFundedAccount, type FundedOpening } from '../state/accounts.ts';
import { readSnapshot, replaceAccount, restoreAccount, restoreEncoded } from '../state/restore.ts';
import { SandboxError } from '../state/sandbox-error.ts';
import {
  type AccountsSnapshot,
  encodeOneAccount,
  encodeState,
  type Snapshot,
  type StateSnapshot,
} from '../state/snapshot.ts';
import type { Context } from './operation.ts';

/**
 * Restores a stored state, which replaces the accounts and payments of a seed, but not its faults and rate limit.
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
  parts.accountBaselines.clear();
}

/** Sets the state that a reset of an account restores. */
export function setAccountBaseline({ state, accountBaselines }: Context, account: Account): void {
  accountBaselines.set(account.id, encodeOneAccount(state, account));
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
  resumeRestored(parts);
  applyStanding(parts, parts.standing);
}

/** Restores the state of an account at its baseline, or at its opening if it was created since then. */
export function resetAccount(parts: Context, account: Account): void {
  const { accountBaselines, baseline, standing } = parts;
  const { id, opening } = account;
  const known = accountBaselines.get(id) ?? selectAccount(baseline, id);
  if (known !== undefined) resumeAccount(parts, restoreAccount(parts.state, account, known));
  else if (opening !== undefined) reopenAccount(parts, account, opening);
  else {
    const message = 'The account was restored from a snapshot and has no baseline. Set one with `baseline`.';
    throw new SandboxError('invalid_state', message);
  }
  applyStanding(parts, { faults: standing.faults.filter((fault) => fault.account === id) });
}

function selectAccount(baseline: StateSnapshot, id: string): AccountsSnapshot | undefined {
  const account = baseline.accounts.find((each) => each.id === id);
  return account && { ...baseline, accounts: [account] };
}

function reopenAccount(parts: Context, replaced: Account, opening: FundedOpening): void {
  const account = createFundedAccount(parts.state, { name: replaced.name, ...opening });
  replaceAccount(parts.state, replaced, account);
  resumeAccount(parts, account);
}

/**
 * Restores the state of a snapshot.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreSnapshot(parts: Context, snapshot: Snapshot): void {
  restoreEncoded(parts.state, readSnapshot(copySnapshot(snapshot)));
  resumeRestored(parts);
}

function resumeRestored(parts: Context): void {
  parts.state.durability.recorder?.recordState();
  resumeState(parts);
}

/** Records and resumes a restored account: removes its faults, rate limit and logged requests, and resumes its deliveries. */
function resumeAccount(parts: Context, account: Account): void {
  const { state: target, deliveries, requestLog } = parts;
  const { id, byMode } = account;
  target.durability.recorder?.recordState(account);
  clearFaultsAndLimit(parts, id);
  requestLog.clear(id);
  deliveries.resume(modes.map((mode) => byMode[mode]));
  target.clock.catchUp();
}

/** Resumes a restored state: removes faults, rate limit and logged requests, and resumes its deliveries. */
export function resumeState(parts: Context): void {
  const { state: target, deliveries, requestLog } = parts;
  parts.accountBaselines.clear();
  clearFaultsAndLimit(parts);
  requestLog.clear();
  deliveries.resume([...target.accounts.values()].flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
  target.clock.catchUp();
}

/** Removes the faults and the rate limit of one account, or those of the whole sandbox. */
function clearFaultsAndLimit({ faults, deliveries, rateLimiter }: Context, account?: string): void {
  for (const each of [faults, deliveries.faults, rateLimiter]) each.clear(account);
}

function copySnapshot(snapshot: Snapshot): Snapshot {
  try {
    return structuredClone(snapshot);
  } catch (cause) {
    throw new SandboxError(
      'invalid_argument',
      'This is not a snapshot of a sandbox. sandbox.snapshot() creates one.',
      {
        cause,
      },
    );
  }
}
