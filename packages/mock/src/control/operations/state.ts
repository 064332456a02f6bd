import { isRecord } from '@service/internal';
import { encodeState, type Snapshot, takeSnapshot } from '../../state/snapshot.ts';
import { operation, type Operations } from '../operation.ts';
import { resetState, restoreSnapshot } from '../replace-state.ts';
import * as s from '../../domain/schema.ts';

/** Snapshots of the state of a sandbox. */
export interface StateControl {
  /**
   * Creates a snapshot as plain JSON. It contains the API keys and signing secrets of the sandbox's own
   * accounts, because a restored sandbox needs them. Protect it accordingly.
   */
  readonly snapshot: () => Snapshot;
  /**
   * Restores accounts, keys, money, payments, deliveries and the time of a manual clock from a snapshot.
   * Removes injected faults and logged requests; running requests respond 503.
   *
   * @throws {SandboxError} without a change for an invalid or damaged snapshot
   */
  readonly restore: (snapshot: Snapshot) => void;
  /**
   * Restores the state at creation, or at the last `baseline`, like `restore`. Injects the faults of the seed
   * again.
   */
  readonly reset: () => void;
  /** Makes the current state the target of `reset`. Call it after the shared setup of the tests. */
  readonly baseline: () => void;
  /** Waits until no delivery attempt is due or running. */
  readonly idle: () => Promise<void>;
}

const MAX_SNAPSHOT_BYTES = 256 * 2 ** 20;

/** Operations on the state of the sandbox. */
export const state: Operations<StateControl> = {
  idle: operation('waitUntilIdle', 'POST /idle', {
    input: {},
    isAsync: true,
    run: (context) => context.deliveries.idle(),
  }),
  snapshot: operation('takeSnapshot', 'GET /snapshot', {
    cli: { isDocument: true, reveals: true },
    input: {},
    run: (context) => takeSnapshot(context.state),
  }),
  restore: operation('restoreSnapshot', 'POST /restore', {
    maxBody: MAX_SNAPSHOT_BYTES,
    cli: { isDocument: true },
    input: {
      format: s.oneOf(['service-sandbox']),
      version: s.oneOf([2]),
      checksum: s.text(),
      state: s.accept<object>('an object', isRecord, { type: 'object' }),
    },
    isChecked: true,
    run: (context, snapshot) => restoreSnapshot(context, snapshot as object as Snapshot),
  }),
  reset: operation('reset', 'POST /reset', {
    input: {},
    run: resetState,
  }),
  baseline: operation('setBaseline', 'POST /baseline', {
    input: {},
    run(context) {
      context.baseline = encodeState(context.state);
    },
  }),
};
