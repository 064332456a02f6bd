// Writes the reference of the profile settings from their definitions and documentation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { profileSettings } from '../packages/internal/src/profile.ts';
import { settingDocs, settingGroups } from '../packages/internal/src/profile-docs/index.ts';

const page = join(import.meta.dirname, '../packages/mock/docs/profiles.md');
const [START, END] = ['<!-- generated: settings -->\n', '<!-- end: settings -->'];

/** Returns the page with its generated tables, one per group of settings. */
export async function generateProfiles(): Promise<Map<string, string>> {
  const text = await readFile(page, 'utf8');
  const [before = '', rest = ''] = text.split(START);
  const after = rest.slice(rest.indexOf(END));
  const wanted = `${before}${START}\n${settingGroups.map(formatGroup).join('\n')}\n${after}`;
  return new Map([[page, await format(wanted, { ...(await resolveConfig(page)), filepath: page })]]);
}

/** Returns the values of a setting as Markdown, the default first. */
export function formatValues(name: string): string {
  const { values } = settingDocs[name as keyof typeof settingDocs];
  const list: readonly unknown[] = profileSettings[name as keyof typeof profileSettings] ?? [];
  return values ?? list.map((value) => `\`${String(value)}\``).join(' ');
}

function formatGroup(group: (typeof settingGroups)[number]): string {
  const settings = Object.entries(settingDocs).filter(([, doc]) => doc.group === group);
  const rows = settings.map(
    ([name, { description }]) => `| \`${name}\` | ${formatValues(name)} | ${description} |\n`,
  );
  const examples = settings.flatMap(([name, { example }]) =>
    example === undefined ? [] : [`createMock({ profile: { ${name}: ${JSON.stringify(example)} } });\n`],
  );
  const block = examples.length === 0 ? '' : `\n\`\`\`ts\n${examples.join('')}\`\`\`\n`;
  return `## ${group}\n\n| setting | values | meaning |\n| --- | --- | --- |\n${rows.join('')}${block}`;
}
