// Takes the pictures of the dashboard from the real pages of a mock, and those of the built site: npm run screenshots.
import { join } from 'node:path';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { type BrowserContextOptions, chromium } from 'playwright';
import { serveSite } from '../docs/test/serve.ts';
import { base } from '../docs/test/site.ts';
import { findChromium } from '../test/support/chromium.ts';

const folder = join(import.meta.dirname, '../packages/mock/docs/images');
const siteFolder = join(import.meta.dirname, '../docs/images');
const suppliers = ['Acme Supplies Ltd', 'Nordic Paper AB', 'Ateliers Dubois SARL', 'Hanse Logistik GmbH'];

let received = 0;
/** Acknowledges webhooks; the connections of some are refused. */
function receive(): Promise<Response> {
  received += 1;
  const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } });
  return received % 6 === 0 ? Promise.reject(refused) : Promise.resolve(new Response());
}

await using mock = createMock({
  clock: 'manual',
  start: '2026-01-31T12:00:00Z',
  seed: 'screenshots',
  fetch: receive,
});
await using server = await listen(mock, { port: 0 });
const client = createClient({ apiKey: mock.account.testKey, baseUrl: server.baseUrl, readLag: 0 });
mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:3000/webhooks' });

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

interface View {
  readonly view: string;
  /** The part of the page that is read last. */
  readonly ready: string;
  /** The element of the picture, in place of the page. */
  readonly part?: string;
}

async function take(
  name: string,
  { view, ready, part }: View,
  options: BrowserContextOptions,
): Promise<void> {
  const page = await browser.newPage(options);
  await page.goto(`${server.url}/#/${view}`);
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.locator(ready).last().waitFor();
  const picture = part === undefined ? page : page.locator(part);
  await picture.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

await work();
const lost = `requests/${mock.sandbox.requests.list().findLast(({ fault }) => fault !== null)?.id}`;
const failed = mock.sandbox.webhooks.deliveries().find(({ state }) => state === 'retrying');
/** The pages: the view of the wide picture, that of a phone, and the part that is read last. */
const pages: Readonly<Record<string, readonly [wide: string, phone: string, ready: string]>> = {
  requests: [lost, 'requests', '.row .badge'],
  payments: [`payments/${failed?.payment_id}`, 'payments', '.row .badge'],
  money: ['money', 'money', '.panel'],
  webhooks: [`webhooks/${failed?.id}`, 'webhooks', '.row .badge'],
  controls: ['controls', 'controls', '.panel'],
  profile: ['controls/profile', 'controls/profile', '.setting'],
};
const [screen, small] = [
  { width: 1_280, height: 760 },
  { width: 390, height: 844 },
];
const executablePath = await findChromium();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, [wide, phone, ready]] of Object.entries(pages)) {
    await take(`${name}-wide-${colorScheme}`, { view: wide, ready }, { colorScheme, viewport: screen });
    await take(`${name}-phone-${colorScheme}`, { view: phone, ready }, { colorScheme, viewport: small });
  }
  await take(
    `lost-response-${colorScheme}`,
    { view: lost, ready: '.ledger', part: '.detail' },
    // Sharp in a small space.
    { colorScheme, viewport: { width: 680, height: 620 }, deviceScaleFactor: 2 },
  );
}

const site = await serveSite();
const sitePages = {
  'unknown-outcomes': 'sdk/unknown-outcomes',
  chaos: 'cli/chaos',
  setup: 'start/setup#express-with-typescript',
};
for (const [name, address] of Object.entries(sitePages))
  for (const [size, viewport] of Object.entries({ wide: screen, phone: small })) {
    const page = await browser.newPage({ viewport });
    await page.goto(`${site.origin}${base}/${address}`, { waitUntil: 'networkidle' });
    await page.screenshot({ path: join(siteFolder, `site-${name}-${size}.png`) });
    await page.close();
  }
await site.close();
await browser.close();
