import type { Profile } from '../domain/profile.ts';
import { modes } from '@service/contract';
import type { Account } from '../world/account.ts';
import { type ProfileChoice, readProfile } from '../world/profile.ts';
import type { World } from '../world/world.ts';
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
export function createProfileControl(world: World): ProfileControl {
  return {
    get: (account) =>
      structuredClone(account === undefined ? world.profile : findAccount(world, account).books.test.profile),
    set(choice, ref) {
      if (ref !== undefined) {
        const account = findAccount(world, ref);
        return assign(account, readProfile('profile.set', choice, account.books.test.profile));
      }
      world.profile = readProfile('profile.set', choice, world.profile);
      for (const account of world.accounts.values())
        assign(account, readProfile('profile.set', choice, account.books.test.profile));
      return world.profile;
    },
  };
}

function assign({ books }: Account, profile: Profile): Profile {
  for (const mode of modes) books[mode].profile = profile;
  return profile;
}
