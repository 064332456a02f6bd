import type { Profile } from '../domain/profile.ts';
import { modes } from '@service/contract';
import type { Account } from '../state/account.ts';
import { type ProfileChoice, readProfile } from '../state/profile.ts';
import type { State } from '../state/state.ts';
import { type AccountRef, findAccount } from './locate.ts';

/** Reads and sets what the service's own document leaves open (contract.md 8). */
export interface ProfileControl {
  /** Returns the profile of an account, all settings included; that of new accounts when none is named. */
  readonly get: (account?: AccountRef) => Profile;
  /**
   * Sets some settings of one account, or of all that there are and will be when none is named. Payments that exist keep the
   * money terms that they were made under. Throws `SandboxError` that names each bad setting, with nothing changed.
   *
   * @example sandbox.profile.set({ numbers: 'string', createStatus: 202 });
   */
  readonly set: (choice: ProfileChoice, account?: AccountRef) => Profile;
}

/** Creates the control of profiles. */
export function createProfileControl(state: State): ProfileControl {
  return {
    get: (account) =>
      structuredClone(
        account === undefined ? state.profile : findAccount(state, account).byMode.test.profile,
      ),
    set(choice, ref) {
      if (ref !== undefined) {
        const account = findAccount(state, ref);
        return assign(account, readProfile('profile.set', choice, account.byMode.test.profile));
      }
      state.profile = readProfile('profile.set', choice, state.profile);
      for (const account of state.accounts.values())
        assign(account, readProfile('profile.set', choice, account.byMode.test.profile));
      return state.profile;
    },
  };
}

function assign({ byMode }: Account, profile: Profile): Profile {
  for (const mode of modes) byMode[mode].profile = profile;
  return profile;
}
