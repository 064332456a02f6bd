import { SandboxError } from '../state/sandbox-error.ts';
import { restoreState } from '../state/restore.ts';
import { hashState, type Snapshot, takeSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';

/** Takes and brings back all that a sandbox knows. */
export interface StateControl {
  /**
   * Takes a snapshot, as plain JSON. It holds the keys and signing secrets of the sandbox's own accounts, because a restored
   * sandbox must keep working; treat it as they are treated.
   */
  readonly snapshot: () => Snapshot;
  /**
   * Puts everything back to a snapshot, the time of a manual clock included: accounts, keys, money, payments, deliveries.
   * Armed faults and the rate limit are lifted, the journal is emptied, and calls still running answer 503. Throws
   * `SandboxError`, with nothing changed, for what is damaged or no snapshot.
   */
  readonly restore: (snapshot: Snapshot) => void;
  /** Puts everything back to how the sandbox was created, or to the last `baseline`, as `restore` does. */
  readonly reset: () => void;
  /** Makes what the sandbox is now what `reset` goes back to: call it when all that tests share has been arranged. */
  readonly baseline: () => void;
  /** Computes a digest of all that the sandbox knows; equal digests mean that nothing has changed. */
  readonly stateHash: () => Promise<string>;
}

/** Names what the control of the state works on. */
export interface StateParts {
  readonly state: State;
  /** Brings the rest of the sandbox in line with a world that was just put back. */
  readonly settle: () => void;
}

/** Creates the control of the state; what the world is at that moment is what a reset goes back to. */
export function createStateControl({ state, settle }: StateParts): StateControl {
  let initial = structuredClone(takeSnapshot(state));
  const restore = (snapshot: Snapshot): void => {
    restoreState(state, copySnapshot(snapshot));
    settle();
    state.clock.catchUp();
  };
  return {
    // A copy, so that whoever changes what it was given changes nothing here.
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
      'This is no snapshot of a sandbox; sandbox.snapshot() makes one.',
      {
        cause,
      },
    );
  }
}
