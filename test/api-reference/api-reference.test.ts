// The API reference page of the mock, with Scalar and without it, in Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../support/chromium.ts';

const folder = import.meta.dirname;
let browser: Browser;

beforeAll(async () => {
  const executablePath = await findChromium();
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

interface Served {
  readonly url: string;
  readonly key: string;
}

/** Starts a mock in a folder, in a separate process: the page looks for Scalar in the folder of the process. */
async function serve(cwd: string, ...args: string[]): Promise<Served> {
  const argv = ['--conditions=@service/source', join(folder, 'serve.ts'), ...args];
  const child = spawn(process.execPath, argv, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return JSON.parse(line.toString()) as Served;
}

interface Opened {
  readonly page: Page;
  /** The messages of the console except information, the errors, and the requests to other origins. */
  readonly problems: string[];
}

async function open({ url }: Served, path = '/_sandbox/docs'): Promise<Opened> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(25_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'info') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(?:data|blob):/.test(request.url()))
      problems.push(request.url());
  });
  await page.goto(url + path);
  return { page, problems };
}

/** Returns the accessibility violations of a page outside of an element. */
async function findViolations(page: Page, exclude: string): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (excluded) => {
    const { axe: run } = globalThis as unknown as { readonly axe: typeof axe };
    const { violations } = await run.run({ exclude: excluded });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, exclude);
}

async function readRequests({ url }: Served): Promise<readonly object[]> {
  const { requests } = (await (await fetch(`${url}/_sandbox/requests`)).json()) as { requests: object[] };
  return requests;
}

describe('/_sandbox/docs', { timeout: 120_000 }, () => {
  it('shows both APIs, and sends a request to this mock', async () => {
    const served = await serve(folder);
    const { page, problems } = await open(served);
    await page.getByRole('heading', { name: 'Payments API' }).waitFor();
    await page.getByPlaceholder('Token').first().fill(served.key);
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const client = page.getByRole('dialog');
    await client.getByRole('button', { name: /^Send/ }).first().click();
    await expect
      .poll(() => readRequests(served))
      .toMatchObject([{ operation: 'createQuote', response: { status: 200 }, transport: 'http' }]);
    await client.getByText('200').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Payments API' }).first().click();
    await page.getByRole('option', { name: 'Control API' }).click();
    await page.getByRole('heading', { name: 'Control API of the payments sandbox' }).waitFor();
    const answered = page.waitForResponse(`${served.url}/_sandbox/health`);
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    await client.getByRole('button', { name: /^Send/ }).first().click();
    expect((await answered).status()).toBe(200);
    expect(problems).toEqual([]);
  });

  it('has no accessibility violation outside of Scalar, which has some', async () => {
    const { page } = await open(await serve(folder));
    await page.getByRole('heading', { name: 'Payments API' }).waitFor();
    expect(await findViolations(page, '#app')).toEqual([]);
  });

  it('asks for the token of the mock, and works after the login of the dashboard', async () => {
    const token = 'a-token-of-the-test-0123';
    const served = await serve(folder, token);
    const { page } = await open(served);
    await page.getByText('This sandbox needs its token.').waitFor();
    await page.goto(`${served.url}/#token=${token}`);
    await page.getByText('No request yet').waitFor();
    await page.getByRole('link', { name: 'API reference' }).click();
    const heading = page.getByRole('heading', { name: 'Payments API' });
    expect(await heading.textContent()).toContain('Payments API');
  });

  it('names the package to install if it is absent', async () => {
    const served = await serve(tmpdir());
    const { page, problems } = await open(served, '/');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByText('npm install --save-dev @scalar/api-reference').waitFor();
    expect(await findViolations(page, 'nothing')).toEqual([]);
    expect(problems).toEqual([]);
    expect((await fetch(`${served.url}/_sandbox/docs/scalar.js`)).status).toBe(404);
  });

  it('has the access rules of the dashboard, and allows only inline styles in addition', async () => {
    const { url } = await serve(folder);
    const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(url + path, { headers });
    for (const path of ['', '/scalar.js', '/payments.json'])
      expect((await ask(`/_sandbox/docs${path}`, { Origin: 'https://other.example' })).status).toBe(403);
    const reference = (await ask('/_sandbox/docs')).headers.get('Content-Security-Policy');
    const dashboard = (await ask('/_sandbox/ui')).headers.get('Content-Security-Policy');
    expect(reference?.replace(" 'unsafe-inline'", '')).toBe(dashboard);
    expect(reference).toContain("style-src 'self' 'unsafe-inline';");
    expect((await ask('/_sandbox/docs/scalar.js.map')).status).toBe(404);
    expect((await ask('/_sandbox/docs/..%2fpackage.json')).status).toBe(404);
  });
});
