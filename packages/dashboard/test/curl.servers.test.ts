// A command of the dashboard, run by the curl of the system.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { useDashboards } from './browser.ts';

const openDashboard = useDashboards();

describe('requests view', () => {
  it('copies a request as a curl command that works', async () => {
    const { open, page, call, mock } = await openDashboard();
    await call('GET', '/api/v1/transactions?per_page=2');
    await open('requests');
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied.').waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain('"Authorization: Bearer $SERVICE_API_KEY"');
    const env = { ...process.env, SERVICE_API_KEY: mock.account.testKey };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(stdout).toContain('"success":true');
  });
});
