import { END_OF_TIME } from '../../domain/time.ts';
import { encodeState, hashState, type Snapshot, takeSnapshot } from '../../state/snapshot.ts';
import { type SandboxSeed, seedFields } from '../../seed/seed.ts';
import { anyAccount } from '../fields.ts';
import { type AccountRef, findAccount, findAccountId } from '../locate.ts';
import { convertBody, defineOperation, type Group, type Routes } from '../operation.ts';
import {
  loadSeed,
  resetAccount,
  resetState,
  restoreSnapshot,
  setAccountBaseline,
  setBaseline,
} from '../replace-state.ts';
import { anything, listOf, number, object, oneOf, optional, text, whole } from '../../domain/schema.ts';
import type { Value } from '../../domain/value.ts';

/** Snapshots of the state of a sandbox. */
export interface StateControl {
  /**
   * Creates a snapshot as plain JSON. It contains the API keys and signing secrets of the sandbox's own
   * accounts, because a restored sandbox needs them. Protect it accordingly.
   */
  readonly snapshot: () => Snapshot;
  /**
   * Restores accounts, keys, money, payments, deliveries and the time of a manual clock from a snapshot.
   * Removes injected faults, rate limits and logged requests; running requests respond 503.
   *
   * @throws {SandboxError} without a change for an invalid or damaged snapshot
   */
  readonly restore: (snapshot: Snapshot) => void;
  /**
   * Restores the state at creation, or at the last `baseline` or `load`, like `restore`. Injects the faults of the seed
   * again, and sets its rate limit. With an account, restores only that account, or opens it again if it was created
   * since then.
   */
  readonly reset: (account?: AccountRef) => void;
  /**
   * Replaces the state and the target of `reset` by those of a seed. Options of `createMock` override the
   * seed. Without a `seed` of ids, accounts keep their keys.
   *
   * @throws {SandboxError} without a change, naming each invalid field, and for another clock than that of the sandbox
   */
  readonly load: (seed: SandboxSeed) => void;
  /**
   * Makes the current state, or that of one account, the target of `reset`. Call it after the shared setup of the tests.
   */
  readonly baseline: (account?: AccountRef) => void;
  /** Computes a digest of the state, or of one account. Equal digests mean that nothing has changed. */
  readonly stateHash: (account?: AccountRef) => Promise<string>;
}

const MAX_SNAPSHOT_BYTES = 256 * 2 ** 20;

const list = listOf(anything);
const snapshotFields = {
  format: oneOf(['service-sandbox']),
  version: oneOf([2]),
  checksum: text(),
  state: object({
    seed: text(),
    now: number('milliseconds since 1970', { maximum: END_OF_TIME }),
    profiles: list,
    profile: whole(),
    accounts: list,
    retiredKeys: listOf(text()),
    openedAt: optional(number('milliseconds since 1970', { maximum: END_OF_TIME })),
  }),
};
const snapshotView: Value<Snapshot> = object(snapshotFields, 'Snapshot');

type Idle = (account?: AccountRef) => Promise<void>;

/** Operations on the state of the sandbox, or of one account. */
export const state: Group<StateControl & { readonly idle: Idle }> = {
  idle: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    isAsync: true,
    run: (parts, { account }) => parts.deliveries.idle(findAccountId(parts.state, account)),
  }),
  snapshot: defineOperation({
    input: {},
    run: (parts) => takeSnapshot(parts.state),
  }),
  restore: defineOperation({
    input: snapshotFields,
    run: (parts, snapshot) => restoreSnapshot(parts, snapshot as unknown as Snapshot),
    createCall: (parts) => (snapshot: Snapshot) => restoreSnapshot(parts, snapshot),
  }),
  reset: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    run(parts, { account }) {
      if (account === undefined) resetState(parts);
      else resetAccount(parts, findAccount(parts.state, account));
    },
  }),
  load: defineOperation({
    input: seedFields,
    run: (parts, seed) => loadSeed(parts, seed as SandboxSeed),
    createCall: (parts) => (seed: SandboxSeed) => loadSeed(parts, seed),
  }),
  baseline: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    run(parts, { account }) {
      if (account === undefined) setBaseline(parts, encodeState(parts.state));
      else setAccountBaseline(parts, findAccount(parts.state, account));
    },
  }),
  stateHash: defineOperation({
    input: { account: anyAccount },
    args: ['account'],
    isAsync: true,
    run: (parts, { account }) =>
      hashState(parts.state, account === undefined ? undefined : findAccount(parts.state, account)),
  }),
};

/** The routes of the operations on the whole state of the sandbox. */
export const stateRoutes: Routes<StateControl & { readonly idle: Idle }> = {
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
