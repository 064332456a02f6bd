// Writes the skills for coding agents from their templates in `scripts/skills`. A comment `<!-- FILE#ANCHOR -->` there is replaced by the
// section of a page of the documentation, so that both have the same code and rules.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveLink } from '../docs/.vitepress/pages.ts';
import { readSection, toTextAddress } from '../docs/.vitepress/text.ts';

const root = join(import.meta.dirname, '..');
const note = '<!-- Generated from the documentation by `npm run generate`. Do not edit. -->';

/** Returns the skills by path. */
export function generateSkills(): Promise<Map<string, string>> {
  const files = globSync('*.md', { cwd: join(import.meta.dirname, 'skills') }).map((file) => {
    const text = readFileSync(join(import.meta.dirname, 'skills', file), 'utf8')
      .replace(/(?<=^---\n[^]*?\n---\n)/, `\n${note}\n`)
      .replaceAll(/(?<=\]\()[^)]+/g, (link) => toTextAddress(resolveLink(link, `scripts/skills/${file}`)))
      .replaceAll(/^<!-- (\S+)#(\S+) -->$/gm, (_, page: string, anchor: string) => readSection(page, anchor));
    return [join(root, 'skills', file.replace('.md', ''), 'SKILL.md'), text] as const;
  });
  return Promise.resolve(new Map(files));
}
