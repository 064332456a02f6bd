// The text of pages for readers without a browser, such as coding agents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import project from '../project.json' with { type: 'json' };
import { resolveLink, root, toAnchor } from './pages.ts';

/** Returns the address of the text of a page: `/sdk/errors#x` is `/sdk/errors.md#x`. */
export function toTextAddress(link: string): string {
  const [path = '', anchor] = link.split('#');
  const file = path.endsWith('/') ? `${path}index` : path;
  return `${project.docsUrl}${file}.md${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Returns the Markdown of a page with absolute links, without its front matter and comments. */
export function readText(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return text
    .replace(/^---\n.*?\n---\n/s, '')
    .replaceAll(/^<!-- .*? -->\n\n/gm, '')
    .replaceAll(/(?<=\]\()[^)\s]+(?=\))/g, (link) => {
      const target = resolveLink(link, file);
      return target.startsWith('/') ? toTextAddress(target) : target;
    })
    .trim();
}

const levelOf = (part: string): number => /^#*/.exec(part)?.[0].length ?? 0;

/**
 * Returns the text below a heading of a page, up to the next heading of its level or a higher one. Below the title, up to
 * the next heading of any level.
 */
export function readSection(file: string, anchor: string): string {
  const parts = readText(file).split(/^(?=#{1,6} )/m);
  const isCode = partsInCode(parts);
  const start = parts.findIndex(
    (part, index) => !isCode[index] && toAnchor(/^#+ (.+)/.exec(part)?.[1] ?? '') === anchor,
  );
  if (start < 0) throw new Error(`${file} has no section ${anchor}.`);
  const level = levelOf(parts[start] ?? '');
  const end = parts.findIndex(
    (part, index) => index > start && !isCode[index] && (level === 1 || levelOf(part) <= level),
  );
  const section = parts.slice(start, end < 0 ? undefined : end).join('');
  return section.replace(/^#.*\n/, '').trim();
}

/** Returns for each part whether it begins within a code block, where `# ` is a comment. */
function partsInCode(parts: readonly string[]): boolean[] {
  let isInside = false;
  return parts.map((part) => {
    const before = isInside;
    if ((part.match(/^```/gm)?.length ?? 0) % 2 === 1) isInside = !isInside;
    return before;
  });
}
