import { createServer, request as sendRequest } from 'node:http';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import type { Page } from 'playwright';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenAtFreePort } from '../../../test/support/listen.ts';
import { findViolations, useDashboards } from './browser.ts';

const openDashboard = useDashboards();
const token = 'a-token-of-the-test-0123';
const payment = { from_currency: 'USD', to_currency: 'EUR', amount: 1, beneficiary_name: 'Acme' } as const;
const views = ['requests', 'payments', 'money', 'webhooks', 'controls', 'controls/profile'];

describe('requests view', () => {
  it('shows a command to paste before the first request, and copies the test key without showing it', async () => {
    const { open, page, mock, server } = await openDashboard();
    await open('requests');
    const command = await page.getByLabel('Example request').textContent();
    expect(command).toContain(`curl ${server.url}/api/v1/payments`);
    expect(command).toContain('$SERVICE_API_KEY');
    await page.getByRole('button', { name: 'Copy test key' }).click();
    await page.getByText('The test key is in the clipboard.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(mock.account.testKey);
    expect(await page.content()).not.toContain(mock.account.testKey);
  });

  it('shows a request while the page is open, with its response and effects', async () => {
    const { open, page, pay } = await openDashboard();
    await open('requests');
    await page.getByText('No request yet').waitFor();
    const id = await pay();
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
    const detail = page.getByRole('article');
    await detail.getByText('"beneficiary_name": "Acme Supplies Ltd"').waitFor();
    await detail.getByRole('link', { name: id }).waitFor();
    expect(await detail.getByText('−100.00 USD').count()).toBe(1);
  });

  it('shows each digit of an amount, why a request was refused, and that the caller lost a response', async () => {
    const { open, page, call, mock, server } = await openDashboard();
    const headers = { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' };
    const body = '{"amount":9007199254740993.10}';
    await call('POST', '/api/v1/payments', {});
    await open('requests');
    const table = page.getByRole('table', { name: 'Requests' });
    await expect.poll(() => table.getByRole('row').nth(1).textContent()).toContain('from_currency');
    await fetch(`${server.url}/api/v1/quotes`, { method: 'POST', headers, body });
    await expect.poll(() => table.getByRole('link').count()).toBe(2);
    await table.getByRole('link').first().click();
    expect(await page.getByLabel('Request body').textContent()).toContain('"amount": 9007199254740993.10');
    mock.sandbox.faults.inject({ kind: 'reset_after_commit', operation: 'createPayment' });
    await expect(call('POST', '/api/v1/payments', payment)).rejects.toThrow('fetch failed');
    await expect.poll(() => table.getByRole('link').count()).toBe(3);
    await table.getByRole('link').first().click();
    const note = await page.locator('.fault-note').textContent();
    expect(note).toContain('The caller did not get this response. The payment exists.');
  });

  it('filters by text and by kind', async () => {
    const { open, page, call, pay } = await openDashboard();
    await pay();
    await call('GET', '/api/v1/balance');
    await call('GET', '/api/v1/unknown');
    await open('requests');
    await page.getByText('3 shown').waitFor();
    await page.getByLabel('Show').selectOption('errors');
    await page.getByText('1 shown').waitFor();
    await page.getByLabel('Show').selectOption('all requests');
    await page.getByLabel('Filter').fill('unknown');
    await page.getByText('1 shown').waitFor();
    expect(await page.locator('.scroll [role=row]').textContent()).toContain('/api/v1/unknown');
  });
});

describe('payments view', () => {
  it('offers only the transitions that the status allows, and runs them', async () => {
    const { open, page, pay, call } = await openDashboard();
    const id = await pay();
    await open(`payments/${id}`);
    const actions = page.getByRole('group', { name: 'Transitions' });
    await actions.getByRole('button', { name: 'Complete' }).click();
    await actions.getByRole('button', { name: 'Return' }).waitFor();
    expect(await actions.getByRole('button').allTextContents()).toEqual(['return', 'Copy id']);
    const { data } = (await (await call('GET', `/api/v1/payments/${id}`)).json()) as { data: object };
    expect(data).toMatchObject({ id, status: 'completed' });
    const timeline = page.getByRole('list', { name: 'Timeline' });
    expect(await timeline.getByRole('listitem').count()).toBe(3);
  });

  it('follows the clock, which its buttons advance', async () => {
    const { open, page, pay, mock } = await openDashboard();
    await pay();
    await open('payments');
    const before = mock.sandbox.clock.now().getTime();
    await page.getByRole('button', { name: 'Next event' }).click();
    await page.getByRole('table', { name: 'Payments' }).getByText('processing').waitFor();
    await page.getByRole('button', { name: '+5s' }).click();
    await page.getByRole('table', { name: 'Payments' }).getByText('completed').waitFor();
    expect(mock.sandbox.clock.now().getTime() - before).toBe(6_000);
  });
});

describe('money view', () => {
  it('shows the same balances as the API', async () => {
    const { open, page, pay, mock } = await openDashboard({ mock: { profile: { debitAt: 'completed' } } });
    await pay({ amount: 1234.56 });
    mock.sandbox.wallets.credit({ currency: 'USD', amount: '9000000.01' });
    await open('money');
    const wallet = page.getByRole('group', { name: 'Wallets' }).getByRole('button', { name: /USD/ });
    await wallet.getByText('9,100,000.01 USD', { exact: true }).waitFor();
    await wallet.getByText('9,098,765.45 USD available').waitFor();
    await wallet.getByText('1,234.56 USD on hold').waitFor();
    expect(await wallet.count()).toBe(1);
  });

  it('shows the sign of each change, and makes live mode unmistakable', async () => {
    const { open, page, pay, mock } = await openDashboard();
    mock.sandbox.payments.fail(await pay());
    await open('money');
    const amounts = page
      .getByRole('table', { name: 'Transactions of the USD wallet' })
      .locator('.scroll .number');
    await amounts.first().waitFor();
    expect(await amounts.allTextContents()).toEqual([
      '+100.00',
      '100,000.00',
      '−100.00',
      '99,900.00',
      '+100,000.00',
      '100,000.00',
    ]);
    const wallet = page.getByRole('group', { name: 'Wallets' }).getByRole('button', { name: /USD/ });
    expect(await wallet.textContent()).toBe('100,000.00 USDnothing on hold');
    await page.getByLabel('live').check();
    await page.getByText('No real money moves').waitFor();
    await page.getByRole('button', { name: '0.00 USD nothing on hold' }).waitFor();
    expect(await page.locator('.page').getAttribute('class')).toContain('mode-live');
  });
});

describe('webhooks view', () => {
  it('sets the endpoint, shows a delivery and sends it again', async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['x-webhook-signature'] ?? request.headers['x-service-signature']));
      response.writeHead(received.length === 1 ? 500 : 200).end();
    });
    const port = await listenAtFreePort(receiver);
    const { open, page, pay } = await openDashboard();
    await open('webhooks');
    await page.getByLabel('Endpoint').fill(`http://127.0.0.1:${port}/hook`);
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('The endpoint is set.').waitFor();
    await pay();
    const table = page.getByRole('table', { name: 'Deliveries' });
    await table.getByText('retrying').waitFor();
    await table.getByRole('link').first().click();
    await page.getByText(/500 at/).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('article').getByText('acknowledged').waitFor();
    expect(received).toHaveLength(2);
    receiver.close();
    receiver.closeAllConnections();
  });

  it('shows what the application answered to a delivery, and when', async () => {
    const { open, page, mock, pay } = await openDashboard({
      mock: { fetch: async () => new Response(null, { status: 503 }) },
    });
    mock.sandbox.webhooks.setEndpoint({ url: 'http://localhost:3000/webhooks' });
    await pay();
    await open('webhooks');
    await page.setViewportSize({ width: 1_280, height: 760 });
    const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1);
    await expect.poll(() => row.textContent()).toMatch(/503.*12:00:00/);
  });

  it('says in words why a delivery failed', async () => {
    const { open, page, pay, mock } = await openDashboard();
    mock.sandbox.webhooks.setEndpoint({ url: 'http://127.0.0.1:9/hook' });
    const id = await pay();
    await open('webhooks');
    await page.getByRole('cell', { name: 'retrying' }).click();
    await page.getByRole('article').getByText('connection refused at 12:00:00').waitFor();
    await open(`payments/${id}`);
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await deliveries.getByText('connection refused').waitFor();
    expect(await deliveries.count()).toBe(1);
  });

  it('explains why a signature does not match', async () => {
    const { open, page } = await openDashboard();
    await open('webhooks');
    await page.getByText('Check a signature').click();
    await page.getByLabel('Raw body').fill('{"event":"payment.completed"}');
    await page.getByLabel('Signature header').fill('0'.repeat(64));
    await page.getByLabel('Signing secret').fill('whsec_0123456789abcdef0123456789abcdef');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    const explanation = page.getByText(/The request is rejected: /);
    expect(await explanation.textContent()).toBe('The request is rejected: signature_mismatch.');
  });
});

describe('controls view', () => {
  it('injects a fault into the next create', async () => {
    const { open, page, call, mock } = await openDashboard();
    await open('controls');
    await page
      .getByLabel('For the next create or delivery')
      .selectOption({ label: 'The service answers 503' });
    await page.getByRole('button', { name: 'Inject' }).click();
    await page.getByText('fired 0 times').waitFor();
    expect((await call('POST', '/api/v1/payments', payment)).status).toBe(503);
    await page.getByText('No active fault.').waitFor();
    expect(mock.sandbox.requests.list()).toHaveLength(1);
  });

  it('changes one of the ten settings that matter and marks it', async () => {
    const { open, page, mock } = await openDashboard();
    await open('controls');
    await page.getByRole('link', { name: 'Profile of this account' }).click();
    await page.getByLabel(/^numbers/).selectOption('string');
    await page.locator('.setting.changed').getByText('numbers').waitFor();
    expect(mock.sandbox.profile.get(mock.account.id).numbers).toBe('string');
    expect(await page.locator('.setting').count()).toBe(10);
  });

  it('shows an error of the sandbox, and creates an account and shows it', async () => {
    const { open, page, mock } = await openDashboard();
    await open('controls');
    await page.getByLabel('Currency', { exact: true }).fill('XXX');
    await page.getByRole('button', { name: 'Deposit in test mode' }).click();
    expect(await page.locator('.notice.error').textContent()).toBe(
      '"XXX" is not a supported currency. Use another one, or add it to the profile setting currencies.',
    );
    await page.getByLabel('Name of a new account').fill('second');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('The page shows the new account.').waitFor();
    const choice = page.getByRole('combobox', { name: 'Account', exact: true });
    await expect.poll(() => choice.inputValue()).toBe(mock.sandbox.accounts.list().at(-1)?.id);
  });

  it('deposits money, downloads a snapshot, resets and restores it', async () => {
    const { open, page, mock } = await openDashboard();
    await open('controls');
    await page.getByLabel('Amount', { exact: true }).fill('12.34');
    await page.getByRole('button', { name: 'Deposit in test mode' }).click();
    await page.getByText('The deposit is in the wallet.').waitFor();
    const hash = await mock.sandbox.stateHash();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByText('The sandbox is reset.').waitFor();
    expect(await mock.sandbox.stateHash()).not.toBe(hash);
    await page.getByLabel('Restore').setInputFiles(await download.path());
    await page.getByText('The snapshot is restored.').waitFor();
    expect(await mock.sandbox.stateHash()).toBe(hash);
  });
});

describe('dashboard', () => {
  it('reads the rows that it missed after a lost connection, and continues with another mock', async () => {
    const { open, page, mock, server, pay } = await openDashboard();
    await pay();
    await open('payments');
    await page.getByText('1 shown').waitFor();
    await server.close();
    await page.getByText('Connection lost, trying again').waitFor();
    createPayments(mock, 300);
    const again = await listen(mock, { port: server.port });
    await page.getByText('301 shown').waitFor();
    await again.close();
    await page.getByText('Connection lost, trying again').waitFor();
    await using next = createMock({ clock: 'manual' });
    await using last = await listen(next, { port: server.port });
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('No payment in test mode').waitFor();
    expect(last.port).toBe(server.port);
  });

  it.each(views)('has no accessibility violation in the %s view, and fits a phone', async (view) => {
    const { open, page, pay } = await openDashboard();
    const id = await pay();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    for (const [width, colorScheme] of [
      [1_280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const address of view === 'payments' ? [view, `${view}/${id}`] : [view]) {
        await open(address);
        await page.getByText('Connected', { exact: true }).waitFor();
        await page.locator('main :is(table, [role=table], section, form, article):visible').first().waitFor();
        expect(await findViolations(page)).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await open(view);
    await page.getByText('Connected', { exact: true }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    // The header has one line.
    expect((await page.locator('header').boundingBox())?.height).toBeLessThanOrEqual(56);
    expect(await findClipped(page)).toEqual([]);
  });

  it('shows amount, beneficiary and status on a phone, and opens a payment by a click on its beneficiary', async () => {
    const { open, page, pay } = await openDashboard();
    const id = await pay();
    await page.setViewportSize({ width: 390, height: 800 });
    await open('payments');
    const row = page.getByRole('table', { name: 'Payments' }).getByRole('row').nth(1);
    for (const text of ['100.00 USD', 'Acme Supplies Ltd', 'pending']) {
      const { x = -1, width = 0 } = (await row.getByText(text).boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
    await row.getByText('Acme Supplies Ltd').click();
    await page.getByRole('article', { name: `Payment ${id}` }).waitFor();
  });

  it('works with the keyboard only', async () => {
    const { open, page, pay } = await openDashboard();
    await pay();
    const second = await pay({ amount: 200 });
    await open('payments');
    await page.getByText('2 shown').waitFor();
    const press = async (key: string): Promise<void> => page.keyboard.press(key);
    const isFocused = (href: string): Promise<boolean> =>
      page.evaluate((wanted) => document.activeElement?.getAttribute('href') === wanted, href);
    for (let tries = 0; tries < 40 && !(await isFocused(`#/payments/${second}`)); tries += 1)
      await press('Tab');
    await press('ArrowDown');
    await press('ArrowUp');
    await press('Enter');
    const detail = page.getByRole('article').getByRole('heading').first();
    expect(await detail.textContent()).toBe('200.00 USD');
  });

  it('shows text of payments, headers and errors as text', async () => {
    const attack = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const { open, page, pay, call, mock } = await openDashboard();
    const id = await pay({ beneficiary_name: attack, beneficiary_bank: attack, purpose: attack });
    await call('GET', `/api/v1/${encodeURIComponent(attack)}?q=${encodeURIComponent(attack)}`);
    mock.sandbox.accounts.create({ name: attack });
    for (const view of [...views, `payments/${id}`]) {
      await open(view);
      await page.getByText('Connected', { exact: true }).waitFor();
      expect(await page.title()).not.toBe('owned');
      expect(await page.locator('img').count()).toBe(0);
    }
    await open('requests');
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').nth(1).click();
    await page
      .getByRole('article')
      .getByText(/beneficiary_name/)
      .waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });
});

describe('dashboard behind a path of a proxy', () => {
  it('logs in, shows a payment with its beneficiary, and leaves the other paths of the proxy alone', async () => {
    const { context, server, pay } = await openDashboard({ listen: { control: { token } } });
    const page = await context.newPage();
    const id = await pay({ beneficiary_bank: 'Commerzbank', beneficiary_country: 'DE' });
    const others: string[] = [];
    const proxy = createServer(({ method, url = '', headers }, outgoing) => {
      if (!url.startsWith('/mock/')) others.push(url);
      const { port } = new URL(server.url);
      const options = { port, host: '127.0.0.1', method, path: url.replace('/mock', ''), headers };
      const forwarded = sendRequest(options, (incoming) => {
        outgoing.writeHead(incoming.statusCode ?? 500, incoming.headers);
        incoming.pipe(outgoing);
      });
      outgoing.req.pipe(forwarded);
    });
    const url = `http://127.0.0.1:${await listenAtFreePort(proxy)}/mock/`;
    onTestFinished(() => void proxy.close());
    await page.goto(`${url}#token=${token}`);
    await page.getByText('1 shown').waitFor();
    await page.goto(`${url}_sandbox/ui#/payments/${id}`);
    await page.getByText('Commerzbank', { exact: true }).waitFor();
    expect(others).toEqual([]);
  });
});

describe('dashboard with a token', () => {
  const options = { listen: { control: { token } } };

  it('logs in by the fragment of the address, which does not stay there', async () => {
    const { page, server, pay } = await openDashboard(options);
    await pay();
    await page.goto(`${server.url}/#token=${token}`);
    await page.getByText('1 shown').waitFor();
    expect(page.url()).toBe(`${server.url}/`);
    await page.reload();
    await page.getByText('1 shown').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.content()).not.toContain(token);
  });

  it('asks for the token, and explains a wrong one', async () => {
    const { page, open } = await openDashboard(options);
    await open('requests');
    await page.getByLabel('Token').fill('a-wrong-token-of-16-characters');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText(/needs its token/).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('No request yet').waitFor();
    expect(await page.content()).not.toContain(token);
  });
});

describe('dashboard under load', () => {
  it('shows the newest 1 000 payments, also during a burst', async () => {
    const { open, page, mock } = await openDashboard();
    createPayments(mock, 990);
    await open('payments');
    await page.getByText('990 shown').waitFor();
    createPayments(mock, 300);
    await page.getByText('1000 shown').waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.locator('.scroll [role=row]').count()).toBeGreaterThan(5);
  });
});

function createPayments({ sandbox }: Mock, count: number): void {
  for (let created = 0; created < count; created += 1) sandbox.payments.create(payment);
}

/** Returns the texts of controls, badges and headings of columns that are cut or squeezed. */
async function findClipped(page: Page): Promise<string[]> {
  await page.locator('main :is([role=table], form, section, article):visible').first().waitFor();
  return page.evaluate(() => {
    const elements = document.querySelectorAll<HTMLElement>(
      '[role=columnheader], .badge, button, select, input:not([type=radio], [type=file])',
    );
    return [...elements].flatMap((element) => {
      const { right, width } = element.getBoundingClientRect();
      const frame = element.closest('[role=cell], .list, .detail, main, header');
      const isCut = right > (frame?.getBoundingClientRect().right ?? 0) + 1;
      const isSqueezed =
        element.scrollWidth > element.clientWidth + 1 || (element.tagName === 'SELECT' && width < 50);
      return width > 1 && (isCut || isSqueezed) ? [element.textContent || element.outerHTML] : [];
    });
  });
}
