import type { StandingSeed } from '../seed/apply.ts';
import type { SandboxSeed } from '../seed/seed.ts';
import type { Faults } from '../state/faults.ts';
import type { RateLimiter } from '../state/rate-limit.ts';
import type { RequestLog } from '../state/request-log.ts';
import type { AccountsSnapshot, StateSnapshot } from '../state/snapshot.ts';
import type { State } from '../state/state.ts';
import type { Deliveries } from '../webhooks/dispatcher.ts';
import type { ReadChanges } from './changes.ts';

/** What the operations of a sandbox read and change. */
export interface Context {
  readonly state: State;
  readonly deliveries: Deliveries;
  readonly rateLimiter: RateLimiter;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  /** The state that `reset` restores. */
  baseline: StateSnapshot;
  /** The states that `reset` of one account restores, by its id, in place of that in `baseline`. */
  readonly accountBaselines: Map<string, AccountsSnapshot>;
  /** Reads the changes for live pages. Undefined until a page has asked for them. */
  readChanges?: ReadChanges;
  /** The faults and the rate limit that `reset` applies again. */
  standing: StandingSeed;
  /** Creates the context of an empty sandbox with a manual clock, for a seed. Options of the mock override the seed. */
  readonly createBlank: (seed: SandboxSeed) => Context;
}
