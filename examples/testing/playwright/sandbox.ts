import { type AccountView, createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { test as base } from 'playwright/test'; // in a project of its own: '@playwright/test'
import { serveApp } from './app.ts';

type Shared = { mock: Mock; baseUrl: string; appUrl: string };

/** Gives each worker a sandbox that listens, and each test an account of its own there. */
export const test = base.extend<{ account: AccountView }, { shared: Shared }>({
  shared: [
    async ({}, use) => {
      await using mock = createMock({ clock: 'manual', cors: 'loopback' });
      await using server = await listen(mock, { port: 0 });
      const app = await serveApp();
      await use({ mock, baseUrl: server.baseUrl, appUrl: app.url });
      app.close();
    },
    { scope: 'worker' },
  ],
  account: async ({ shared }, use) => use(shared.mock.sandbox.accounts.create()),
  page: async ({ page, account, shared: { baseUrl } }, use) => {
    // However a page learns where the service is and which key it has: this one from a global variable.
    await page.addInitScript((service) => Object.assign(window, { service }), {
      apiKey: account.testKey,
      baseUrl,
    });
    await use(page);
  },
});
