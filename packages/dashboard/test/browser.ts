import axe from 'axe-core';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { listen, type ListenOptions, type MockServer } from '@service/mock/node';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findChromium } from '../../../test/support/chromium.ts';

/** A mock that listens, and an open page of its dashboard. */
export interface Dashboard {
  readonly mock: Mock;
  readonly server: MockServer;
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a view, such as `payments` or `payments/pay_…`. */
  readonly open: (view: string) => Promise<void>;
  /** Calls the API with the test key of the first account. */
  readonly call: (method: string, path: string, body?: object) => Promise<Response>;
  /** Creates a payment and returns its id. */
  readonly pay: (fields?: object) => Promise<string>;
}

/** The options of a dashboard. */
export interface DashboardOptions {
  readonly mock?: MockOptions;
  readonly listen?: ListenOptions;
}

/** Starts a browser for the tests of a file, and returns a function that opens a dashboard with its own mock. */
export function useDashboards(): (options?: DashboardOptions) => Promise<Dashboard> {
  let browser: Browser;
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const executablePath = await findChromium();
    browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  afterAll(() => browser.close());
  return async (options = {}) => {
    const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', ...options.mock });
    const server = await listen(mock, { port: 0, ...options.listen });
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const problems = watchPage(page, server.url);
    closers.push(
      () => mock.close(),
      () => server.close(),
      () => context.close(),
      () => Promise.resolve(expect(problems).toEqual([])),
    );
    const call = (method: string, path: string, body?: object): Promise<Response> =>
      fetch(server.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${path.startsWith('/_sandbox') ? server.controlToken : mock.account.testKey}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    return {
      mock,
      server,
      page,
      context,
      call,
      open: async (view) => void (await page.goto(`${server.url}/#/${view}`)),
      async pay(fields) {
        const response = await call('POST', '/api/v1/payments', {
          from_currency: 'USD',
          to_currency: 'EUR',
          amount: 100,
          beneficiary_name: 'Acme Supplies Ltd',
          ...fields,
        });
        const { data } = (await response.json()) as { readonly data: { readonly id: string } };
        return data.id;
      },
    };
  };
}

/** Collects the console errors of a page, its unhandled errors, and its requests to other origins. */
export function watchPage(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    // The browser reports each lost connection and each refused request, which some tests cause.
    const isExpected =
      /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY|ERR_INCOMPLETE|status of 4(?:0[019]|22)/.test(
        message.text(),
      );
    if (message.type() !== 'log' && !isExpected) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) problems.push(`request to ${url}`);
  });
  return problems;
}

/** Returns the accessibility violations of a page. */
export async function findViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids inline scripts; evaluation by the debugger is not subject to it.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await run.run(document);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
