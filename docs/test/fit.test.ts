// The width of the pages in Chromium: code on a wide screen, tables on a phone.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { base, listPages } from './site.ts';
import { useSite } from './use-site.ts';

const site = useSite();

/** Returns a function that opens pages on a screen, without their scripts, which change no width. */
async function openScreen(width: number): Promise<(page: string) => Promise<Page>> {
  const screen = await site.browser.newPage({ viewport: { width, height: 844 }, javaScriptEnabled: false });
  return async (page) => {
    await screen.goto(`${site.server.origin}${base}/${page.replace(/(?:index)?\.html$/, '')}`);
    return screen;
  };
}

/** Returns the texts of the elements whose content is wider than they are, or that end beyond the screen. */
function findCut(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility())
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 ||
          element.getBoundingClientRect().right > document.documentElement.clientWidth,
      )
      .map((element) => (element.textContent ?? '').trim().slice(0, 80)),
  );
}

describe('the pages', () => {
  it('cut no code at 1280 pixels', async () => {
    const open = await openScreen(1_280);
    const cut: string[] = [];
    for (const page of listPages())
      for (const text of await findCut(await open(page), '.vp-doc pre')) cut.push(`${page}: ${text}`);
    expect(cut).toEqual([]);
  });

  it('show whole tables and code at 390 pixels', async () => {
    const open = await openScreen(390);
    const cut: string[] = [];
    for (const page of listPages())
      for (const text of await findCut(await open(page), '.vp-doc :is(pre, table, td)'))
        cut.push(`${page}: ${text}`);
    expect(cut).toEqual([]);
  });

  it('name the column in each cell of a table', async () => {
    const screen = await (await openScreen(390))('sdk/client-options.html');
    const labels = await screen
      .locator('.vp-doc table >> nth=0 >> tr:nth-child(1) td')
      .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::before').content));
    expect(labels.slice(1)).toEqual(labels.slice(1).map(() => expect.stringMatching(/"\w+.*"/)));
  });
});
