// The page that `service-cli chaos --report` writes, in a real browser.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMock } from '@service/mock';
import { writeReport } from '@service/mock/report';
import { createClient } from '@service/sdk';
import { findViolations } from '../packages/dashboard/test/browser.ts';
import { findChromium } from './support/chromium.ts';

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

describe('the report of a run of chaos', () => {
  it('shows the requests, payments and webhooks, without keys and secrets', async () => {
    const folder = await createFolder();
    const mock = createMock({ clock: 'manual' });
    const { account, sandbox } = mock;
    const secret = 'a-secret-of-16-characters';
    sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/hook', secret });
    sandbox.faults.inject({ kind: 'status', status: 503, operation: 'createQuote' });
    const client = createClient({ apiKey: account.testKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
    await client.payments.create({
      from_currency: 'USD',
      to_currency: 'EUR',
      amount: '12.34',
      beneficiary_name: attack,
      purpose: attack,
    });
    await sandbox.clock.advance('2s');
    const file = join(folder, 'a', 'report.html');
    const error = `expected pending ${account.testKey} to be 'completed'`;
    await writeReport(mock, { file, title: `completes the payment ${attack}`, error });
    const html = await readFile(file, 'utf8');
    expect(html).not.toMatch(/service_(?:test|live)_(?!\[redacted\])/);
    expect(html).not.toContain(secret);

    const { page, problems } = await openReport(file);
    await page.getByRole('region', { name: 'Report' }).getByText(`completes the payment ${attack}`).waitFor();
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
    const file = join(folder, 'report.html');
    await writeReport(mock, { file, title: attack, error: '' });
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
    const file = join(folder, 'report.html');
    await writeReport(createMock(), { file, title: '', error: '' });
    const { page, problems } = await openReport(file);
    await page.getByText('There was no request.').waitFor();
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = `document.title = 'owned'`;
      document.body.append(script);
    });
    expect(await page.title()).not.toBe('owned');
    expect(problems).toEqual([expect.stringContaining('Content Security Policy')]);
  });
});
