// Takes the pictures of the documentation from the real pages of a mock: npm run screenshots.
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { type Browser, chromium } from 'playwright';
import { findChromium } from '../test/support/chromium.ts';

const folder = join(import.meta.dirname, '../packages/mock/docs/images');
const suppliers = ['Acme Supplies Ltd', 'Nordic Paper AB', 'Ateliers Dubois SARL', 'Hanse Logistik GmbH'];

await using mock = createMock({ clock: 'manual', start: '2026-01-31T12:00:00Z', seed: 'screenshots' });
await using server = await listen(mock, { port: 0 });
const client = createClient({ apiKey: mock.account.testKey, baseUrl: server.baseUrl, readLag: 0 });
mock.sandbox.webhooks.collect();

/** Pays suppliers over some minutes of sandbox time. Some payments fail, and one response is lost. */
async function work(): Promise<void> {
  for (const [index, beneficiary_name] of [...suppliers, ...suppliers, ...suppliers].entries()) {
    await client.payments.create({
      from_currency: 'USD',
      to_currency: index % 2 === 0 ? 'EUR' : 'GBP',
      amount: `${1_250 * (index + 1)}.${10 + index}`,
      beneficiary_name,
      beneficiary_account: index % 5 === 3 ? 'SIM-FAIL' : 'DE89370400440532013000',
      purpose: `Invoice ${4_100 + index}`,
    });
    await mock.sandbox.clock.advance(index > 9 ? '1s' : '45s');
  }
  mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
  const body = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: '980.00',
    beneficiary_name: 'Acme Supplies Ltd',
  };
  await client.payments.create(body).catch(() => {});
}

interface Shot {
  readonly name: string;
  readonly view: string;
  /** The part of the page that is read last. */
  readonly ready: string;
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** The element of the picture, in place of the page. */
  readonly part?: string;
}

async function take(
  browser: Browser,
  { name, view, ready, scheme, width, height, part }: Shot,
): Promise<void> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: scheme,
    deviceScaleFactor: part === undefined ? 1 : 2, // for a sharp picture in a small space
  });
  await page.goto(`${server.url}/#/${view}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator(ready).last().waitFor();
  const picture = part === undefined ? page : page.locator(part);
  await picture.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

await work();
const request = mock.sandbox.requests.list().findLast(({ fault }) => fault !== null)?.id ?? '';
const wide = { width: 1_280, height: 760 };
const home = { view: `requests/${request}`, ready: '.ledger', part: '.detail', width: 680, height: 620 };
const shots: readonly Shot[] = [
  { name: 'requests', view: `requests/${request}`, ready: '.ledger', scheme: 'light', ...wide },
  { name: 'money', view: 'money', ready: '.checks li', scheme: 'light', ...wide },
  { name: 'lost-response-light', scheme: 'light', ...home },
  { name: 'lost-response-dark', scheme: 'dark', ...home },
];
const executablePath = await findChromium();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
for (const shot of shots) await take(browser, shot);
await browser.close();
