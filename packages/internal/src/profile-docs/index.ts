// The documentation of all profile settings. Each group of settings has a file next to this one.
import type { Profile } from '../profile.ts';
import { basicDocs } from './basic.ts';
import { behaviorDocs } from './behavior.ts';
import { moneyDocs } from './money.ts';
import type { SettingDocs } from './setting-doc.ts';
import { templateDocs } from './templates.ts';

export { type SettingDoc, type SettingDocs, settingGroups } from './setting-doc.ts';

/** The documentation of each setting, in the order of the reference. */
export const settingDocs: SettingDocs<keyof Profile> = {
  ...basicDocs,
  ...behaviorDocs,
  ...moneyDocs,
  ...templateDocs,
};
