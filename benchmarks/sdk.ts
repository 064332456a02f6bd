// Compares a call of @service/sdk with openapi-fetch and a bare `fetch`: on a `fetch` that responds at once, and over loopback.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import createOpenapiClient from 'openapi-fetch';
import type { paths } from '@service/contract';
import { createClient } from '@service/sdk';
import { printFigures, ratios, runRounds, timeCalls } from './figures.ts';

const ROUNDS = 40;
const apiKey = 'service_test_4f9c1d2e3b';
const id = 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s';
const body = {
  from_currency: 'USD',
  to_currency: 'EUR',
  amount: 100,
  beneficiary_name: 'Acme Supplies Ltd',
  purpose: 'INV-2026-0042',
} as const;
const payment = {
  id,
  status: 'pending',
  from_currency: 'USD',
  to_currency: 'EUR',
  send_amount: 100,
  rate: 0.9213,
  receive_amount: 91.67,
  beneficiary: { name: 'Acme Supplies Ltd', bank: null, account: null, country: null },
  purpose: 'INV-2026-0042',
  created_at: '2026-01-31T12:00:00+00:00',
};
const response = JSON.stringify({ success: true, mode: 'test', data: payment });
const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };

async function compare(
  title: string,
  { origin, fetch, calls }: { origin: string; fetch: typeof globalThis.fetch; calls: number },
): Promise<void> {
  const baseUrl = `${origin}/api/v1`;
  const sent = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const sdk = createClient({ apiKey, baseUrl, fetch });
  const openapi = createOpenapiClient<paths>({ baseUrl, headers: sent, fetch });
  const bare = async (path: string, init: RequestInit): Promise<unknown> =>
    (await fetch(`${baseUrl}${path}`, { ...init, headers: sent })).json();
  const operations = {
    'GET /payments/{payment_id}': {
      sdk: () => sdk.payments.retrieve(id),
      openapi: () => openapi.GET('/payments/{payment_id}', { params: { path: { payment_id: id } } }),
      bare: () => bare(`/payments/${id}`, {}),
    },
    'POST /payments': {
      sdk: () => sdk.payments.create(body),
      openapi: () => openapi.POST('/payments', { body }),
      bare: () => bare('/payments', { method: 'POST', body: JSON.stringify(body) }),
    },
  };
  for (const [name, clients] of Object.entries(operations)) {
    // A client that fails must not look fast.
    for (const call of Object.values(clients))
      if (!JSON.stringify(await call()).includes(id)) throw new Error(`${name} has no payment.`);
    const subjects = {
      sdk: timeCalls(calls, clients.sdk),
      openapi: timeCalls(calls, clients.openapi),
      bare: timeCalls(calls, clients.bare),
    };
    const times = await runRounds(subjects, ROUNDS);
    printFigures(`${name}, ${title}`, {
      'processor time, sdk / openapi-fetch': ratios(times.sdk, times.openapi),
      'processor time, sdk / bare fetch': ratios(times.sdk, times.bare),
      'processor time of a call of the sdk, µs': times.sdk,
    });
  }
}

/** Responds at once. Like every `fetch`, it creates a new `Request` from its arguments. */
const respond: typeof fetch = async (input, init) => {
  new Request(input, init).signal.throwIfAborted();
  return new Response(response, { headers });
};
await compare('in process', { origin: 'http://localhost:4010', fetch: respond, calls: 500 });

const server = createServer((incoming, outgoing) => {
  incoming.resume().on('end', () => outgoing.writeHead(200, headers).end(response));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
await compare('over loopback', { origin: `http://127.0.0.1:${port}`, fetch, calls: 500 });
server.close();
server.closeAllConnections();
