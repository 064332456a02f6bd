import { type AccountView, createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { test as base } from 'playwright/test'; // in your project: '@playwright/test'
import { serveApp } from './app.ts';

interface Shared {
  mock: Mock;
  baseUrl: string;
  appUrl: string;
}

/** A test with one listening sandbox per worker and one account per test. */
export const test = base.extend<{ account: AccountView }, { shared: Shared }>({
  shared: [
    async ({}, use) => {
      await using mock = createMock({ clock: 'manual' });
      await using server = await listen(mock, { port: 0 });
      const app = await serveApp();
      await use({ mock, baseUrl: server.baseUrl, appUrl: app.url });
      app.close();
    },
    { scope: 'worker' },
  ],
  account: async ({ shared }, use) => use(shared.mock.sandbox.accounts.create()),
  page: async ({ page, account, shared: { baseUrl } }, use) => {
    // This page reads the base URL and the API key from a global variable.
    await page.addInitScript((service) => Object.assign(window, { service }), {
      apiKey: account.testKey,
      baseUrl,
    });
    await use(page);
  },
});
