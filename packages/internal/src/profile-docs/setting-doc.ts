import type { Profile } from '../profile.ts';

/** The groups of settings in the reference, in order. */
export const settingGroups = [
  'Responses',
  'Requests',
  'Money',
  'Payments',
  'Transactions',
  'Webhooks',
] as const;

/** The documentation of a profile setting. Apart from its definition, so that no bundle of the mock contains texts. */
export interface SettingDoc<Value> {
  readonly group: (typeof settingGroups)[number];
  /** The treatment by the client, as Markdown: completes "the SDK therefore". */
  readonly client: string;
  /**
   * The allowed values as Markdown, for a setting that is not a list of values.
   *
   * @default the values in `profileSettings`
   */
  readonly values?: string;
  /** The question that the setting answers and the effect of each value, as Markdown without a final period. */
  readonly description: string;
  /**
   * A value other than the default. The reference shows the responses with it.
   *
   * @default every value in `profileSettings` except the first
   */
  readonly example?: Value;
}

/** The documentation of settings by name. */
export type SettingDocs<Name extends keyof Profile> = {
  readonly [Each in Name]-?: SettingDoc<NonNullable<Profile[Each]>>;
};
