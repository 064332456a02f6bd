import { SandboxError } from '../state/sandbox-error.ts';
import { restoreState } from '../state/restore.ts';
import { hashState, type Snapshot, takeSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';

/** Snapshots of the state of a sandbox. */
export interface StateControl {
  /**
   * Creates a snapshot as plain JSON. It contains the API keys and signing secrets of the sandbox's own
   * accounts, because a restored sandbox needs them. Protect it accordingly.
   */
  readonly snapshot: () => Snapshot;
  /**
   * Restores accounts, keys, money, payments, deliveries and the time of a manual clock from a snapshot.
   * Removes injected faults, the rate limit and logged requests; running requests respond 503. Throws
   * `SandboxError` without a change for an invalid or damaged snapshot.
   */
  readonly restore: (snapshot: Snapshot) => void;
  /** Restores the state at creation, or at the last `baseline`, like `restore`. */
  readonly reset: () => void;
  /** Makes the current state the target of `reset`. Call it after the shared setup of the tests. */
  readonly baseline: () => void;
  /** Computes a digest of the state. Equal digests mean that nothing has changed. */
  readonly stateHash: () => Promise<string>;
}

/** The parts of a sandbox that snapshots use. */
export interface StateParts {
  readonly state: State;
  /** Updates the rest of the sandbox after a restore. */
  readonly settle: () => void;
}

/** Creates the state control of a sandbox. The current state becomes the baseline of `reset`. */
export function createStateControl({ state, settle }: StateParts): StateControl {
  let initial = structuredClone(takeSnapshot(state));
  const restore = (snapshot: Snapshot): void => {
    restoreState(state, copySnapshot(snapshot));
    settle();
    state.clock.catchUp();
  };
  return {
    // A copy, so that changes by the caller have no effect here.
    snapshot: () => structuredClone(takeSnapshot(state)),
    restore,
    reset: () => restore(initial),
    baseline() {
      initial = structuredClone(takeSnapshot(state));
    },
    stateHash: () => hashState(state),
  };
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
