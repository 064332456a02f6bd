import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingDocs } from '../../../scripts/profile-docs.ts';
import { createMock } from '../src/index.ts';
import { namedDefaults as defaultProfile } from '../src/domain/profile.ts';
import { settingChoices } from '../../../test/support/setting-choices.ts';

const page = readFileSync(new URL('../docs/profiles.md', import.meta.url), 'utf8');

/** The values of each setting in the lists of docs/profiles.md. */
const documented = Object.fromEntries(
  Array.from(page.matchAll(/^- \*\*`(\w+)`\*\*: ([^.]+)\. /gm), ([, name = '', values = '']) => [
    name,
    Array.from(values.matchAll(/`([^`]+)`/g), ([, value]) => value),
  ]),
);

describe('the profile reference', () => {
  it('describes every setting', () => {
    expect(Object.keys(documented).toSorted()).toEqual(Object.keys(defaultProfile).toSorted());
  });

  it.each(Object.entries(settingChoices))(
    'docs/profiles.md lists the values of %s, the default first',
    (name, values) => {
      expect(documented[name]).toEqual(values.map(String));
    },
  );

  it.each(Object.entries(settingDocs).filter(([name]) => !(name in settingChoices)))(
    'has the values and an accepted example of %s, which has no list of values',
    (name, { values, example }) => {
      expect(values).not.toBe('');
      const { sandbox } = createMock({ profile: { [name]: example } });
      const { [name]: value, ...others } = sandbox.profile.get() as object as Readonly<
        Record<string, unknown>
      >;
      expect({ [name]: value }).toMatchObject({ [name]: example });
      expect({ ...others, [name]: defaultProfile[name as keyof typeof defaultProfile] }).toEqual(
        defaultProfile,
      );
      expect(example).not.toEqual(defaultProfile[name as keyof typeof defaultProfile]);
    },
  );
});
