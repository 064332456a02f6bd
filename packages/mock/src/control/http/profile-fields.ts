import * as z from 'zod/mini';
import { type Profile, profileSettings } from '../../domain/profile.ts';
import { statuses } from '../../domain/status.ts';
import type { ProfileChoice } from '../../state/profile.ts';
import { fields, oneOf, described, text, time } from './fields.ts';

const dates = z.strictObject({
  deprecated: time,
  sunset: time,
  link: z.exactOptional(text('the link to the deprecation notice')),
});

const settings: Readonly<Record<string, z.ZodMiniType>> = {
  ...Object.fromEntries(Object.entries(profileSettings).map(([name, values]) => [name, oneOf(values)])),
  events: described(`a list of any of ${statuses.join(', ')}`, (message) =>
    z.array(oneOf(statuses), message),
  ),
  deprecation: described("'none' or { deprecated, sunset, link? } with ISO 8601 times", (message) =>
    z.union([z.literal('none'), dates], message),
  ),
};

/** Schema of a profile with a value for every setting. */
export const profile: z.ZodMiniType<Profile> = z.object(settings) as unknown as z.ZodMiniType<Profile>;

/** Schema of a choice of settings. */
export const profileChoice: z.ZodMiniType<ProfileChoice> = fields(
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, z.exactOptional(setting)])),
);
