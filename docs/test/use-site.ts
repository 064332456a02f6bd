import { chromium, type Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from '../../test/support/chromium.ts';
import { serveSite, type SiteServer } from './serve.ts';

/** Serves the site and starts a browser for the tests of a file. The result is empty before the first test. */
export function useSite(): { readonly server: SiteServer; readonly browser: Browser } {
  const site = {} as { server: SiteServer; browser: Browser };
  beforeAll(async () => {
    const executablePath = await findChromium();
    [site.server, site.browser] = await Promise.all([
      serveSite(),
      chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] }),
    ]);
  });
  afterAll(async () => {
    await site.browser.close();
    await site.server.close();
  });
  return site;
}
