// The pages of the site: each one is in the navigation and has a title.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { describe, expect, it } from 'vitest';
import { sidebar } from '../.vitepress/navigation.ts';
import { countWords } from '../../test/support/count-words.ts';
import { findAddress, root } from '../.vitepress/pages.ts';
import { listGeneratedFiles } from './blocks.ts';
import { listPages, readHtml } from './site.ts';

const pages = listPages();

function listLinks({ link, items = [] }: DefaultTheme.SidebarItem): string[] {
  return [...(link === undefined ? [] : [link]), ...items.flatMap(listLinks)];
}

const links = sidebar.flatMap(listLinks);

/** Returns the files of the pages that are not generated, the README of the repository and the contract. */
function listSources(): string[] {
  const files = globSync(['docs/{*,guides/*,start/*}.md', 'packages/*/{*,docs/*}.md', 'examples/*.md'], {
    cwd: root,
  });
  const isPage = (file: string): boolean => findAddress(file) !== undefined;
  return ['README.md', 'docs/contract.md', ...files.map((file) => file.replaceAll('\\', '/')).filter(isPage)];
}

describe('the navigation', () => {
  it('has each page once', () => {
    const addresses = pages.map((page) => `/${page.replace(/(?<=^|\/)index\.html$|\.html$/, '')}`);
    expect(links.toSorted()).toEqual(addresses.filter((address) => address !== '/').toSorted());
  });
});

describe('the documentation site', () => {
  it('has at most 70 pages, and none for contributors', () => {
    expect(pages.length).toBeLessThanOrEqual(70);
    expect(pages.filter((page) => /decisions|benchmarks|architecture|contributing/.test(page))).toEqual([]);
  });

  it.each([
    ['on the pages that people wrote', listSources(), 30_000],
    ['with the generated reference', [...listSources(), ...listGeneratedFiles()], 36_000],
  ])('has few words besides code %s', (_, files, limit) => {
    const words = files.map((file) => countWords(readFileSync(join(root, file), 'utf8')));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(limit);
  });

  it.each(pages.filter((page) => page !== 'index.html'))('has one title on %s', (page) => {
    expect(readHtml(page).match(/<h1\b/g)).toHaveLength(1);
  });
});
