// The links of the built site.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import project from '../project.json' with { type: 'json' };
import { root } from '../.vitepress/pages.ts';
import { base, findFile, listPages, readHtml } from './site.ts';

const pages = listPages();
const tracked = new Set(
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n'),
);
const folders = new Set(
  [...tracked].flatMap((file) => file.split('/').map((_, index, all) => all.slice(0, index).join('/'))),
);
const anchors = new Map<string, ReadonlySet<string>>();

function readAnchors(path: string): ReadonlySet<string> {
  const found =
    anchors.get(path) ?? new Set([...readHtml(path).matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id));
  anchors.set(path, found);
  return found;
}

/** Returns whether a link leads to an existing page and heading, or to an existing file of the repository. */
function isAlive(link: string, page: string): boolean {
  if (link.startsWith(`${project.repositoryUrl}/`)) {
    const [, kind, path = ''] = /\/(blob|tree|edit)\/main\/([^#]*)/.exec(link) ?? [];
    return kind === 'tree' ? folders.has(path) : tracked.has(path);
  }
  if (/^(?:https?:|mailto:|data:)/.test(link)) return true;
  const url = new URL(link, `http://site${base}/${page.replace(/(?:index)?\.html$/, '')}`);
  if (!url.pathname.startsWith(`${base}/`)) return false;
  const file = findFile(decodeURI(url.pathname.slice(base.length + 1)));
  if (file === undefined) return false;
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === '' || !file.endsWith('.html') || readAnchors(file).has(anchor);
}

describe('the documentation site', () => {
  it.each(pages)('has no dead link in %s', (page) => {
    const links = [...readHtml(page).matchAll(/<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g)];
    expect(links.length).toBeGreaterThan(10);
    const dead = links
      .map(([, link = '']) => link.replaceAll('&amp;', '&'))
      .filter((link) => !isAlive(link, page));
    expect(dead).toEqual([]);
  });

  it.each([
    ['a page', `${base}/sdk/no-such-page`],
    ['a heading', `${base}/sdk/errors#no-such-heading`],
    ['a heading of the same page', '#no-such-heading'],
    ['a file of the repository', `${project.repositoryUrl}/blob/main/no-such-file.ts`],
    ['a folder of the repository', `${project.repositoryUrl}/tree/main/packages/no-such-folder`],
    ['an address outside the site', '/sdk/errors'],
  ])('would fail for a link to %s that does not exist', (_, link) => {
    expect(isAlive(link, 'sdk/errors.html')).toBe(false);
  });
});
