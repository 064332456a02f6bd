// The page that a failed test leaves, with real runners and a real browser.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMock, SandboxError } from '@service/mock';
import { writeReport } from '@service/mock/report';
import { findViolations } from '../packages/dashboard/test/browser.ts';
import { findChromium } from './support/chromium.ts';

const root = join(import.meta.dirname, '..');
const failing = join(import.meta.dirname, 'failing');
const attack = `</script><script>document.title='owned'</script><img src=x onerror="document.title='owned'">`;
let browser: Browser;

beforeAll(async () => {
  const executablePath = await findChromium();
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

/** Creates a folder that is removed at the end of the test. */
async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'report-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs a test runner in a folder without the environment of this one. Returns its exit code. */
async function runTests(script: string, args: readonly string[], cwd: string): Promise<number> {
  const { PATH, HOME, LD_LIBRARY_PATH } = process.env;
  const CHROMIUM_PATH = await findChromium();
  return new Promise((resolve) => {
    const env = { PATH, HOME, LD_LIBRARY_PATH, CHROMIUM_PATH };
    const child = execFile(process.execPath, [join(root, 'node_modules', script), ...args], { cwd, env });
    child.on('exit', (code) => resolve(code ?? -1));
  });
}

/** Finds the only report in a folder. */
async function findReport(folder: string, name = '.html'): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const reports = names.filter((each) => each.endsWith(name));
  expect(reports).toHaveLength(1);
  return join(folder, String(reports[0]));
}

/** Opens a report as a file. Returns the page and the problems that it has had: errors, console output and requests. */
async function openReport(file: string): Promise<{ readonly page: Page; readonly problems: string[] }> {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  page.setDefaultTimeout(15_000);
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) problems.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, problems };
}

describe('the report of a failed test', () => {
  it('shows the requests, payments and webhooks of a test of vitest, without keys and secrets', async () => {
    const folder = await createFolder();
    const args = ['run', '--root', folder, '--dir', failing, '--config', join(failing, 'vitest.config.ts')];
    expect(await runTests('vitest/vitest.mjs', args, folder)).toBe(1);
    // Only the failed test of the file leaves one.
    const file = await findReport(folder);
    const html = await readFile(file, 'utf8');
    expect(html).not.toMatch(/service_(?:test|live)_(?!\[redacted\])/);
    expect(html).not.toContain('a-secret-of-16-characters');

    const { page, problems } = await openReport(file);
    await page.getByRole('region', { name: 'Test' }).getByText(`completes the payment ${attack}`).waitFor();
    await page.getByLabel('Error').getByText("to be 'completed'").waitFor();
    const requests = page.getByRole('table', { name: 'Requests' });
    await requests.getByRole('link').last().click();
    await page.getByLabel('Response body').getByText('"status": "pending"').waitFor();
    await page.getByRole('article').getByText('−12.34 USD').waitFor();
    await page.getByRole('link', { name: 'Payments', exact: true }).click();
    await page.getByRole('table', { name: 'Payments' }).getByRole('link').click();
    // Two transitions, and the one that is due.
    await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').nth(2).waitFor();
    await page.getByRole('link', { name: 'Money' }).click();
    await page.getByText('99,987.66 USD', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('http://127.0.0.1:9/hook').waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();
    await page
      .getByText(/connection refused at/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Controls' }).click();
    const faults = page.getByRole('region', { name: 'Faults' });
    await faults.getByText('status').waitFor();
    expect(await faults.getByRole('listitem').count()).toBe(1);
    await page.getByRole('link', { name: 'Profile of this account' }).click();
    expect(await page.getByLabel(/^numbers/).isDisabled()).toBe(true);
    // Only the account of the test.
    expect(
      await page.getByRole('combobox', { name: 'Account', exact: true }).getByRole('option').count(),
    ).toBe(1);
    expect(problems).toEqual([]);
  });

  it('has no button that would change the sandbox, in any view', async () => {
    const folder = await createFolder();
    const mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z' });
    const { id } = mock.sandbox.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: 5,
      beneficiary_name: attack,
    });
    mock.sandbox.webhooks.collect();
    await mock.close();
    const file = await writeReport(mock, { file: join(folder, 'a', 'report.html'), title: attack });
    const { page, problems } = await openReport(file);
    for (const view of [
      'requests',
      'payments',
      `payments/${id}`,
      'money',
      'webhooks',
      'controls',
      'controls/profile',
    ]) {
      await page.goto(`${pathToFileURL(file).href}#/${view}`);
      await page.locator('main :is(table, [role=table], section, .facts, .empty)').first().waitFor();
      const buttons = await page.getByRole('button').allTextContents();
      expect(buttons.filter((text) => !/^Copy|on hold/.test(text))).toEqual([]);
      expect(await page.locator('main img, .failure img').count()).toBe(0);
      expect(await page.title()).toContain(attack);
    }
    await page.getByRole('radio', { name: 'live' }).check();
    await page.getByText('No real money moves').waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('forbids scripts and styles that are not its own', async () => {
    const folder = await createFolder();
    // A test without a title, whose error has no message.
    const file = await writeReport(createMock(), { file: join(folder, 'report.html'), title: '', error: '' });
    const { page, problems } = await openReport(file);
    await page.getByText('The test sent no request.').waitFor();
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = `document.title = 'owned'`;
      document.body.append(script);
    });
    expect(await page.title()).not.toBe('owned');
    expect(problems).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  it.each([
    [{}, 'writeReport: file is missing: it must be the path of an HTML file.'],
    [
      { file: 'a.html', titel: 'x' },
      'writeReport: has no field "titel"; it takes file, title, error, account.',
    ],
    [{ file: 'a.html', account: 'acct_000000000404' }, 'There is no account "acct_000000000404".'],
  ])('rejects %j', async (options, message) => {
    const written = writeReport(createMock(), options as never);
    await expect(written).rejects.toBeInstanceOf(SandboxError);
    await expect(written).rejects.toThrow(message);
  });

  it('is attached to a test of Playwright', async () => {
    const folder = await createFolder();
    const args = ['test', '--config', join(failing, 'playwright.config.ts'), '--output', folder];
    expect(await runTests('playwright/cli.js', args, root)).toBe(1);
    const { page, problems } = await openReport(await findReport(folder, 'sandbox.html'));
    await page.getByText('shows another status').waitFor();
    await page.getByRole('table', { name: 'Requests' }).getByText('POST').waitFor();
    expect(problems).toEqual([]);
  });
});
