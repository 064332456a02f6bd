import { modes } from '@service/contract';
import { isRecord } from '@service/internal';
import { type Profile, profileSettings } from '../../domain/profile.ts';
import { statuses } from '../../domain/status.ts';
import type { Account } from '../../state/account.ts';
import { findProblems, type ProfileChoice, readProfile } from '../../state/profile.ts';
import { anyAccount } from '../fields.ts';
import { type AccountRef, findAccount } from '../locate.ts';
import { defineOperation, type Group } from '../operation.ts';
import { anyOf, listOf, object, oneOf, optional, text, type Value, type ValueFields } from '../schema.ts';

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

const dates = object({ deprecated: text(), sunset: text(), link: optional(text()) });

const settings: ValueFields = {
  ...Object.fromEntries(
    Object.entries(profileSettings).map(([name, values]) => [name, oneOf<string | number>(values)]),
  ),
  events: listOf(oneOf(statuses)),
  deprecation: anyOf(oneOf(['none']), dates),
};

const profileView: Value<Profile> = object(settings, 'Profile');

/** Settings of a profile. */
export const profileChoice: Value<ProfileChoice> = {
  expected: 'an object of settings',
  parse: (value) => (findProblems(value).length === 0 ? (value as ProfileChoice) : undefined),
  findProblems: (value) => (isRecord(value) ? findProblems(value) : []),
  json: { type: 'object', properties: profileView.json?.properties, additionalProperties: false },
};

/** Operations on profiles. */
export const profile: Group<ProfileControl> = {
  get: defineOperation({
    id: 'getProfile',
    method: 'GET',
    path: '/profile',
    input: { account: anyAccount },
    args: ['account'],
    output: profileView,
    cli: { command: 'profile show' },
    run: ({ state }, { account }) =>
      structuredClone(
        account === undefined ? state.profile : findAccount(state, account).byMode.test.profile,
      ),
  }),
  set: defineOperation({
    id: 'setProfile',
    method: 'PATCH',
    path: '/profile',
    input: { settings: profileChoice, account: anyAccount },
    args: ['settings', 'account'],
    output: profileView,
    example: { settings: { createStatus: 202, events: ['completed', 'failed'] } },
    run({ state }, { settings: choice, account: id }) {
      if (id !== undefined) return assign(findAccount(state, id), choice);
      state.profile = readProfile('profile.set', choice, state.profile);
      for (const account of state.accounts.values()) assign(account, choice);
      return state.profile;
    },
  }),
};

function assign({ byMode }: Account, choice: ProfileChoice): Profile {
  const changed = readProfile('profile.set', choice, byMode.test.profile);
  for (const mode of modes) byMode[mode].profile = changed;
  return changed;
}
