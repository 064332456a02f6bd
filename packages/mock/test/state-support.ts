import { defaultProfile } from '../src/domain/profile.ts';
import { type Account, Changes, createState, type State } from '../src/state/state.ts';
import { openAccount } from '../src/state/accounts.ts';
import { type Clock, createClock } from '../src/state/clock.ts';

/** Creates the state of a sandbox with a manual clock and one account without money. */
export function openState(): { state: State; clock: Clock; account: Account } {
  const clock = createClock('manual', 0);
  const state = createState({
    clock,
    seed: 'x',
    profile: defaultProfile,
    changes: new Changes(),
    onDefect() {},
    dispatch: async () => {},
  });
  const account = openAccount(state, 'a', defaultProfile, []);
  return { state, clock, account };
}
