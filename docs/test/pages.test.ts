// The pages of the site: each one is in the navigation and has a title.
import type { DefaultTheme } from 'vitepress';
import { describe, expect, it } from 'vitest';
import { sidebar } from '../.vitepress/navigation.ts';
import { listPages, readHtml } from './site.ts';

const pages = listPages();

function listLinks({ link, items = [] }: DefaultTheme.SidebarItem): string[] {
  return [...(link === undefined ? [] : [link]), ...items.flatMap(listLinks)];
}

const links = sidebar.flatMap(listLinks);

describe('the navigation', () => {
  it('has each page once', () => {
    const addresses = pages.map((page) => `/${page.replace(/(?<=^|\/)index\.html$|\.html$/, '')}`);
    expect(links.toSorted()).toEqual(addresses.filter((address) => address !== '/').toSorted());
  });
});

describe('the documentation site', () => {
  it.each(pages.filter((page) => page !== 'index.html'))('has one title on %s', (page) => {
    expect(readHtml(page).match(/<h1\b/g)).toHaveLength(1);
  });
});
