// The reference of the profile settings, from their definitions: a heading for each, to which the HTTP API links.
import { settingDocs, settingGroups } from '../../scripts/profile-docs.ts';
import { formatBlock, type Pages } from './markdown.ts';

/** Generates the page of the settings. */
export function generateProfile(): Pages {
  const groups = settingGroups.map((group) => {
    const settings = Object.entries(settingDocs).filter(([, doc]) => doc.group === group);
    return `## ${group}\n\n${settings.map(([name, doc]) => formatSetting(name, doc)).join('')}`;
  });
  const page = `# Profile settings in detail

The values of each [profile setting](/mock/profiles). The first value is the default.

${groups.join('')}`;
  return new Map([['profile', page]]);
}

function formatSetting(name: string, { values, description, example }: (typeof settingDocs)[string]): string {
  const meaning = description.replaceAll(/\]\(([\w-]+)\.md\)/g, '](/mock/$1)');
  const block =
    example === undefined ? '' : formatBlock('json', JSON.stringify({ [name]: example }, null, 2));
  return `### ${name}\n\n${meaning}\n\nValues: ${values}.\n\n${block}`;
}
