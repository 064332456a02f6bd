import type { Profile } from '../domain/profile.ts';
import { modes } from '@service/contract';
import type { Account } from '../state/account.ts';
import { type ProfileChoice, readProfile } from '../state/profile.ts';
import type { State } from '../state/state.ts';
import { type AccountRef, findAccount } from './locate.ts';

/** The profile of accounts: values for the questions that the service's document leaves open. */
export interface ProfileControl {
  /** Returns the complete profile of an account, or of new accounts. */
  readonly get: (account?: AccountRef) => Profile;
  /**
   * Changes settings of one account, or of all existing and new accounts. Existing payments keep their terms.
   *
   * @throws {SandboxError} without a change, naming each invalid setting
   * @example sandbox.profile.set({ numbers: 'string', createStatus: 202 });
   */
  readonly set: (choice: ProfileChoice, account?: AccountRef) => Profile;
}

/** Creates the profile control of a sandbox. */
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
