import type { Account, State } from '../../state/state.ts';
import { modes } from '@service/contract';
import {
  applyChoice,
  type NamedProfile,
  nameExamples,
  type Profile,
  profileChoice,
  type ProfileChoice,
} from '../../domain/profile.ts';
import { anyAccount } from '../fields.ts';
import { type AccountRef, findAccount } from '../locate.ts';
import { operation, type Operations } from '../operation.ts';

/** The profile of accounts: values for the questions that the service's document leaves open. */
export interface ProfileControl {
  /** Returns the complete profile of an account, or of new accounts. */
  readonly get: (account?: AccountRef) => NamedProfile;
  /**
   * Changes settings of one account, or of all existing and new accounts. Existing payments keep their terms.
   *
   * @throws {SandboxError} without a change, naming each invalid setting
   * @example sandbox.profile.set({ numbers: 'string', successStatus: { createPayment: 202 } });
   */
  readonly set: (choice: ProfileChoice, account?: AccountRef) => NamedProfile;
}

/** Operations on profiles. */
export const profile: Operations<ProfileControl> = {
  get: operation('getProfile', 'GET /profile', {
    cli: { command: 'profile show' },
    input: { account: anyAccount },
    run({ state }, { account }) {
      const shown = account === undefined ? state.profile : findAccount(state, account).byMode.test.profile;
      return structuredClone(nameExamples(shown));
    },
  }),
  /** @example { settings: { successStatus: { createPayment: 202 }, events: ['completed', 'failed'] } } */
  set: operation('setProfile', 'PATCH /profile', {
    input: { settings: profileChoice, account: anyAccount },
    args: ['settings', 'account'],
    run({ state }, { settings: choice, account: id }) {
      if (id !== undefined) return nameExamples(changeProfile(state, findAccount(state, id), choice));
      state.profile = applyChoice(state.profile, choice);
      state.changes.recordSettings();
      for (const account of state.accounts.values()) changeProfile(state, account, choice);
      return nameExamples(state.profile);
    },
  }),
};

function changeProfile({ changes }: State, account: Account, choice: ProfileChoice): Profile {
  const { byMode } = account;
  const changed = applyChoice(byMode.test.profile, choice);
  for (const mode of modes) byMode[mode].profile = changed;
  changes.recordSettings(account.id);
  return changed;
}
