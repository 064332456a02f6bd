// The pages in Chromium: accessibility, console messages and requests, with both color schemes, on a phone and on a wide
// screen. SITE_SCREENSHOTS=FOLDER also writes a picture of each page.
import { join } from 'node:path';
import axe from 'axe-core';
import type { DefaultTheme } from 'vitepress';
import type { BrowserContextOptions, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { sidebar } from '../.vitepress/navigation.ts';
import { base, readHtml } from './site.ts';
import { useSite } from './use-site.ts';

const folder = process.env.SITE_SCREENSHOTS;

const screens: Readonly<Record<string, BrowserContextOptions>> = {
  'wide light': { viewport: { width: 1_280, height: 800 }, colorScheme: 'light' },
  'wide dark': { viewport: { width: 1_280, height: 800 }, colorScheme: 'dark' },
  'phone light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
};

const listLinks = ({ link, items = [] }: DefaultTheme.SidebarItem): string[] => [
  ...(link === undefined ? [] : [link]),
  ...items.flatMap(listLinks),
];
const sizeOf = (link: string): number => readHtml(`${link.slice(1).replace(/\/$/, '/index')}.html`).length;

/** The largest page of each group of the navigation, which has the most kinds of content. */
const largest = sidebar
  .flatMap(({ items = [] }) => {
    const pages = items.filter((item) => item.items === undefined);
    return [
      ...items.filter((item) => item.items !== undefined),
      ...(pages.length > 0 ? [{ items: pages }] : []),
    ];
  })
  .map((group) => listLinks(group).reduce((best, link) => (sizeOf(link) > sizeOf(best) ? link : best)));
const pages = ['/', ...largest, '/no-such-page'];

const site = useSite();

/** Opens a page, and returns it with the console messages and the requests to other origins so far. */
async function open(screen: string, link: string): Promise<{ page: Page; problems: string[] }> {
  const problems: string[] = [];
  const page = await site.browser.newPage({ ...screens[screen], reducedMotion: 'reduce' });
  page.on('console', (message) => {
    const isNotFound = link === '/no-such-page' && message.text().includes('404');
    if (!isNotFound) problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && new URL(request.url()).origin !== site.server.origin)
      problems.push(`request to ${request.url()}`);
  });
  await page.goto(`${site.server.origin}${base}${link}`, { waitUntil: 'networkidle' });
  // Vue sets this title last, after it has taken over the page, which takes seconds on a large one.
  await page.locator('.VPSwitchAppearance:not([title=""])').first().waitFor({ state: 'attached' });
  return { page, problems };
}

/** Returns the accessibility violations of a page, and whether it scrolls sideways. */
async function findViolations(page: Page, screen: string): Promise<string[]> {
  await page.evaluate(axe.source);
  // The light screens of the same widths have the violations that do not depend on colors.
  const colors = { runOnly: ['color-contrast', 'link-in-text-block'] };
  const options = screens[screen]?.colorScheme === 'dark' ? colors : {};
  return page.evaluate(async (rules) => {
    const { axe: run } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await run.run(document, rules);
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)),
      ...(scrollWidth > clientWidth ? [`the page is ${scrollWidth} pixels wide`] : []),
    ];
  }, options);
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (folder !== undefined)
    await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) });
}

describe.concurrent.each(Object.keys(screens))('on a %s screen', (screen) => {
  it.each(pages)('%s is accessible, without console messages and requests to other origins', async (link) => {
    const { page, problems } = await open(screen, link);
    await takeScreenshot(page, `${screen} ${link}`);
    expect(await findViolations(page, screen)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('the search finds a page and is accessible', async () => {
    const { page, problems } = await open(screen, '/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('unknown outcome');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').allTextContents()).toContainEqual(
      expect.stringMatching(/unknown outcomes/i),
    );
    await takeScreenshot(page, `${screen} search`);
    expect(await findViolations(page, screen)).toEqual([]);
    await page.getByRole('combobox').press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });
});
