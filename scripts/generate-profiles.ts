// Writes the reference of the profile settings from their definitions and documentation.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import {
  pagePlaceholders,
  type PlaceholderTable,
  refusalPlaceholders,
  rowPlaceholders,
  valueForms,
} from '../packages/mock/src/domain/placeholders.ts';
import { settingDocs, settingGroups } from './profile-docs.ts';

const root = join(import.meta.dirname, '..');

/** Returns the pages with their generated parts: one list per group of settings, their treatment, and the values of examples. */
export async function generateProfiles(): Promise<Map<string, string>> {
  return new Map([
    await replacePart(
      'packages/mock/docs/profiles.md',
      'settings',
      settingGroups.map(formatGroup).join('\n'),
    ),
    await replacePart('docs/contract.md', 'settings', formatTreatments()),
    await replacePart('packages/mock/docs/examples.md', 'values', formatPlaceholders()),
  ]);
}

/** Returns a page with another content between the comments of a part. */
export async function replacePart(
  name: string,
  part: string,
  content: string,
): Promise<[page: string, text: string]> {
  const page = join(root, name);
  const [start, end] = [`<!-- generated: ${part} -->\n`, `<!-- end: ${part} -->`];
  const [before = '', rest = ''] = (await readFile(page, 'utf8')).split(start);
  const wanted = `${before}${start}\n${content}\n${rest.slice(rest.indexOf(end))}`;
  return [page, await format(wanted, { ...(await resolveConfig(page)), filepath: page })];
}

/** Returns the list of all settings with their treatment by the client. */
function formatTreatments(): string {
  const rows = Object.entries(settingDocs).map(([name, { client }]) => `- \`${name}\`: ${client}\n`);
  return `There are ${rows.length} settings. Of each one the SDK:\n\n${rows.join('')}`;
}

const placeholderTables: Readonly<Record<string, PlaceholderTable>> = {
  'a row': rowPlaceholders,
  'a page': pagePlaceholders,
  'the body of a refusal': refusalPlaceholders,
};

/** Returns the list of the placeholders by kind of value, with the forms of each kind. */
function formatPlaceholders(): string {
  const rows = Object.entries(placeholderTables).flatMap(([place, placeholders]) =>
    Object.entries(valueForms).flatMap(([kind, forms]) => {
      const names = Object.keys(placeholders).filter((name) => placeholders[name] === kind);
      const ending = forms.length === 0 ? '' : `; forms ${formatCodes(forms)}`;
      return names.length === 0 ? [] : [`- ${place}, ${kind}: ${formatCodes(names)}${ending}\n`];
    }),
  );
  return rows.join('');
}

function formatCodes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}

function formatGroup(group: (typeof settingGroups)[number]): string {
  const settings = Object.entries(settingDocs).filter(([, doc]) => doc.group === group);
  const rows = settings.map(
    ([name, { values, description }]) => `- **\`${name}\`**: ${values}. ${description}\n`,
  );
  const examples = settings.flatMap(([name, { example }]) =>
    example === undefined ? [] : [`createMock({ profile: { ${name}: ${JSON.stringify(example)} } });\n`],
  );
  const block = examples.length === 0 ? '' : `\n\`\`\`ts\n${examples.join('')}\`\`\`\n`;
  return `## ${group}\n\n${rows.join('')}${block}`;
}
