import { modes } from '@service/contract';
import { END_OF_TIME } from '../../domain/time.ts';
import { restoreState } from '../../state/restore.ts';
import { SandboxError } from '../../state/sandbox-error.ts';
import { hashState, type Snapshot, takeSnapshot } from '../../state/snapshot.ts';
import type { State } from '../../state/state.ts';
import { applySeed, applyStanding, checkSeed } from '../../seed/apply.ts';
import { type SandboxSeed, seedFields } from '../../seed/seed.ts';
import { convertBody, defineOperation, type Group, type Routes, type SandboxParts } from '../operation.ts';
import { anything, listOf, number, object, oneOf, text, type Value, whole } from '../../domain/schema.ts';

/** Snapshots of the state of a sandbox. */
export interface StateControl {
  /**
   * Creates a snapshot as plain JSON. It contains the API keys and signing secrets of the sandbox's own
   * accounts, because a restored sandbox needs them. Protect it accordingly.
   */
  readonly snapshot: () => Snapshot;
  /**
   * Restores accounts, keys, money, payments, deliveries and the time of a manual clock from a snapshot.
   * Removes injected faults, the rate limit and logged requests; running requests respond 503.
   *
   * @throws {SandboxError} without a change for an invalid or damaged snapshot
   */
  readonly restore: (snapshot: Snapshot) => void;
  /**
   * Restores the state at creation, or at the last `baseline` or `load`, like `restore`. Injects the faults of the seed
   * again, and sets its rate limit.
   */
  readonly reset: () => void;
  /**
   * Replaces the state and the target of `reset` by those of a seed. Options of `createMock` override the
   * seed. Without a `seed` of ids, accounts keep their keys.
   *
   * @throws {SandboxError} without a change, naming each invalid field, and for another clock than that of the sandbox
   */
  readonly load: (seed: SandboxSeed) => void;
  /** Makes the current state the target of `reset`. Call it after the shared setup of the tests. */
  readonly baseline: () => void;
  /** Computes a digest of the state. Equal digests mean that nothing has changed. */
  readonly stateHash: () => Promise<string>;
}

const MAX_SNAPSHOT_BYTES = 256 * 2 ** 20;

const list = listOf(anything);
const snapshotFields = {
  format: oneOf(['service-sandbox']),
  version: oneOf([1, 2]),
  checksum: text(),
  state: object({
    seed: text(),
    now: number('milliseconds since 1970', { maximum: END_OF_TIME }),
    profiles: list,
    profile: whole(),
    accounts: list,
    retiredKeys: listOf(text()),
  }),
};
const snapshotView: Value<Snapshot> = object(snapshotFields, 'Snapshot');

/** Operations on the whole state of the sandbox. */
export const state: Group<StateControl & { readonly idle: () => Promise<void> }> = {
  idle: defineOperation({
    input: {},
    isAsync: true,
    run: ({ deliveries }) => deliveries.idle(),
  }),
  snapshot: defineOperation({
    input: {},
    run: (parts) => copyState(parts.state),
  }),
  restore: defineOperation({
    input: snapshotFields,
    run: (parts, snapshot) => restoreSnapshot(parts, snapshot as unknown as Snapshot),
    createCall: (parts) => (snapshot: Snapshot) => restoreSnapshot(parts, snapshot),
  }),
  reset: defineOperation({
    input: {},
    run: resetState,
  }),
  load: defineOperation({
    input: seedFields,
    run: (parts, seed) => loadSeed(parts, seed as SandboxSeed),
    createCall: (parts) => (seed: SandboxSeed) => loadSeed(parts, seed),
  }),
  baseline: defineOperation({
    input: {},
    run(parts) {
      parts.baseline = copyState(parts.state);
    },
  }),
  stateHash: defineOperation({
    input: {},
    isAsync: true,
    run: (parts) => hashState(parts.state),
  }),
};

/** The routes of the operations on the whole state of the sandbox. */
export const stateRoutes: Routes<StateControl & { readonly idle: () => Promise<void> }> = {
  idle: {
    id: 'waitUntilIdle',
    method: 'POST',
    path: '/idle',
  },
  snapshot: {
    id: 'takeSnapshot',
    method: 'GET',
    path: '/snapshot',
    output: snapshotView,
    cli: { isDocument: true, reveals: true },
  },
  restore: {
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/restore',
    maxBody: MAX_SNAPSHOT_BYTES,
    cli: { isDocument: true },
  },
  reset: {
    id: 'reset',
    method: 'POST',
    path: '/reset',
  },
  load: {
    id: 'loadSeed',
    method: 'PUT',
    path: '/seed',
    maxBody: MAX_SNAPSHOT_BYTES,
    cli: { isDocument: true },
    example: { accounts: [{ name: 'shop', balances: { USD: '1000.00' } }] },
  },
  baseline: {
    id: 'setBaseline',
    method: 'POST',
    path: '/baseline',
  },
  stateHash: {
    id: 'getStateHash',
    method: 'GET',
    path: '/state-hash',
    output: convertBody(
      object<{ readonly stateHash: string }>({ stateHash: text() }),
      (stateHash: string) => ({
        stateHash,
      }),
    ),
  },
};

/** Takes a snapshot that shares no object with the state. */
export function copyState(source: State): Snapshot {
  return structuredClone(takeSnapshot(source));
}

/**
 * Restores a stored state, which replaces the accounts and payments of a seed, but not its faults and rate limit.
 *
 * @throws {SandboxError} without a change for an invalid or damaged snapshot
 */
export function restoreBaseline(parts: SandboxParts, snapshot: Snapshot): void {
  restoreSnapshot(parts, snapshot);
  parts.baseline = copyState(parts.state);
  applyStanding(parts, parts.standing);
}

/**
 * Replaces the state by that of a seed.
 *
 * @throws {SandboxError} without a change for an invalid seed
 */
export function loadSeed(parts: SandboxParts, seed: SandboxSeed): void {
  checkSeed(seed);
  const blank = parts.createBlank(seed);
  parts.standing = applySeed(blank, seed, blank.state.clock.now());
  parts.baseline = copyState(blank.state);
  resetState(parts);
}

function resetState(parts: SandboxParts): void {
  restoreSnapshot(parts, parts.baseline);
  applyStanding(parts, parts.standing);
}

function restoreSnapshot(parts: SandboxParts, snapshot: Snapshot): void {
  restoreState(parts.state, copySnapshot(snapshot));
  parts.state.durability.recorder?.recordState();
  resumeState(parts);
}

/** Resumes a restored state: removes faults, rate limit and logged requests, and resumes its deliveries. */
export function resumeState(parts: SandboxParts): void {
  const { state: target, deliveries, rateLimiter, faults, requestLog } = parts;
  rateLimiter.set(undefined);
  faults.clear();
  deliveries.faults.clear();
  requestLog.clear();
  deliveries.resume([...target.accounts.values()].flatMap(({ byMode }) => modes.map((mode) => byMode[mode])));
  target.clock.catchUp();
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
