import { settings } from '../../packages/mock/src/domain/settings.ts';

type Choices = readonly (string | number)[];

/** The values of the profile settings that are one of a list, the default first. */
export const settingChoices: Readonly<Record<string, Choices>> = Object.fromEntries(
  Object.entries<unknown>(settings).filter((entry): entry is [string, Choices] => Array.isArray(entry[1])),
);
