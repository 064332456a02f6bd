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

/**
 * Returns the text below a heading of a page, up to the next heading of its level or a higher one. Below the title, up to
 * the next heading of any level.
 */
export function readSection(file: string, anchor: string): string {
  const text = readText(file);
  // In a code block, `# ` is a comment.
  const matches = [...text.matchAll(/^```[^]*?^```|^(#+) (.+)$/gm)];
  const start = matches.findIndex(([, , title = '']) => toAnchor(title) === anchor);
  const found = matches[start];
  if (found === undefined) throw new Error(`${file} has no section ${anchor}.`);
  const [line, level = ''] = found;
  const end = matches
    .slice(start + 1)
    .find(([, next]) => next !== undefined && (level === '#' || next.length <= level.length));
  return text.slice(found.index + line.length, end?.index).trim();
}
