import { join } from 'node:path';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { createClient } from '@service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClosedPort } from '../support/listen.ts';
import { order } from '../support/order.ts';
import { createNextApp } from './app.ts';

/** An app without any configuration of caches. In Next 14 a `fetch` without options is cached for all requests. */
const files = {
  'lib/client.js': `import { createClient } from '@service/sdk';
export const client = createClient();`,
  'app/balance/page.js': `import { createElement } from 'react';
import { client } from '../../lib/client.js';
export default async function Page() {
  const { balances } = await client.balance.retrieve();
  return createElement('p', null, balances.find(({ currency }) => currency === 'USD').balance);
}`,
  'app/payments/[id]/page.js': `import { createElement } from 'react';
import { client } from '../../../lib/client.js';
export default async function Page({ params }) {
  const { id } = await params;
  return createElement('p', null, (await client.payments.retrieve(id)).status);
}`,
  'app/transactions/route.js': `import { client } from '../../lib/client.js';
export async function GET() {
  const { transactions } = await client.transactions.list();
  return Response.json(transactions.length);
}`,
  'app/wait/[id]/route.js': `import { client } from '../../../lib/client.js';
export async function GET(request, { params }) {
  const { id } = await params;
  return Response.json((await client.payments.waitFor(id, { timeout: 20_000 })).status);
}`,
  'app/unreachable/[port]/route.js': `import { createClient } from '@service/sdk';
export async function GET(request, { params }) {
  const { port } = await params;
  const { payments } = createClient({ baseUrl: \`http://127.0.0.1:\${port}/api/v1\`, maxRetries: 0 });
  const order = { from_currency: 'USD', to_currency: 'EUR', amount: '10.00', beneficiary_name: 'Acme' };
  return Response.json(await payments.create(order).catch(({ outcome }) => outcome));
}`,
};

describe.each([
  ['16', import.meta.dirname],
  ['14', join(import.meta.dirname, '14')],
])('the client in Next %s', (_, install) => {
  const mock = createMock({ clock: 'manual' });
  const { testKey: apiKey } = mock.account;
  let service: Awaited<ReturnType<typeof listen>>;
  let app: ReturnType<typeof createNextApp>;
  let url = '';

  beforeAll(async () => {
    service = await listen(mock, { port: 0 });
    app = createNextApp({
      install,
      files,
      env: { SERVICE_API_KEY: apiKey, SERVICE_BASE_URL: service.baseUrl },
    });
    await app.build();
    ({ url } = await app.start('start'));
  }, 180_000);
  afterAll(async () => {
    await app.remove();
    await service.close();
  });

  const read = async (path: string): Promise<string | undefined> => {
    const text = await (await fetch(`${url}${path}`)).text();
    return /<p>(.*?)<\/p>/.exec(text)?.[1] ?? text;
  };
  const create = async (): Promise<string> => {
    const client = createClient({ apiKey, baseUrl: service.baseUrl });
    return (await client.payments.create(order)).id;
  };

  it('shows the current status of a payment', async () => {
    const path = `/payments/${await create()}`;
    expect(await read(path)).toBe('pending');
    await mock.sandbox.clock.advance('4s');
    expect(await read(path)).toBe('completed');
  });

  it('shows the current balance in a page that is static without it', async () => {
    mock.sandbox.wallets.set({ currency: 'USD', amount: 500 });
    expect(await read('/balance')).toBe('500');
    mock.sandbox.wallets.set({ currency: 'USD', amount: 700 });
    expect(await read('/balance')).toBe('700');
  });

  it('lists the current transactions in a route handler', async () => {
    const before = Number(await read('/transactions'));
    await create();
    expect(Number(await read('/transactions'))).toBe(before + 1);
  });

  it('reports not_sent for a create whose service cannot be reached', async () => {
    expect(await read(`/unreachable/${await findClosedPort()}`)).toBe('"not_sent"');
  });

  it('waits for a payment', async () => {
    const id = await create();
    const { requests } = mock.sandbox;
    const before = requests.list({ operation: 'getPayment' }).length;
    const waiting = read(`/wait/${id}`);
    await expect.poll(() => requests.list({ operation: 'getPayment' }).length).toBe(before + 1);
    await mock.sandbox.clock.advance('4s');
    expect(await waiting).toBe('"completed"');
  });
});
