// Compares a call of @service/sdk with openapi-fetch, a bare `fetch`, and the built client of another checkout if its folder is named,
// on a `fetch` that responds at once: node benchmarks/sdk.ts [FOLDER]
import { resolve } from 'node:path';
import createOpenapiClient from 'openapi-fetch';
import type { paths } from '@service/contract';
import { createClient } from '@service/sdk';
import { printFigures, ratios, runRounds, timeCalls } from './figures.ts';

const ROUNDS = 40;
const CALLS = 500;
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

let count = 0;
/** Responds at once, with a new id for each create. Like every `fetch`, it creates a new `Request` from its arguments. */
const respond: typeof fetch = async (input, init) => {
  const { method, signal } = new Request(input, init);
  signal.throwIfAborted();
  return new Response(method === 'POST' ? response.replace(id, id + (count += 1)) : response, { headers });
};
const baseUrl = 'http://localhost:4010/api/v1';
const sent = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
const sdk = createClient({ apiKey, baseUrl, fetch: respond });
const file = resolve(process.argv[2] ?? '.', 'packages/sdk/dist/index.js');
const built = (await import(file)) as { createClient: typeof createClient };
const other = built.createClient({ apiKey, baseUrl, fetch: respond });
const openapi = createOpenapiClient<paths>({ baseUrl, headers: sent, fetch: respond });
const bare = async (path: string, init: RequestInit): Promise<unknown> =>
  (await respond(`${baseUrl}${path}`, { ...init, headers: sent })).json();
const operations = {
  'GET /payments/{payment_id}': {
    sdk: () => sdk.payments.retrieve(id),
    other: () => other.payments.retrieve(id),
    openapi: () => openapi.GET('/payments/{payment_id}', { params: { path: { payment_id: id } } }),
    bare: () => bare(`/payments/${id}`, {}),
  },
  'POST /payments': {
    sdk: () => sdk.payments.create(body),
    other: () => other.payments.create(body),
    openapi: () => openapi.POST('/payments', { body }),
    bare: () => bare('/payments', { method: 'POST', body: JSON.stringify(body) }),
  },
};
for (const [name, clients] of Object.entries(operations)) {
  // A client that fails must not look fast.
  for (const call of Object.values(clients))
    if (!JSON.stringify(await call()).includes(id)) throw new Error(`${name} has no payment.`);
  const subjects = {
    sdk: timeCalls(CALLS, clients.sdk),
    other: timeCalls(CALLS, clients.other),
    openapi: timeCalls(CALLS, clients.openapi),
    bare: timeCalls(CALLS, clients.bare),
  };
  const times = await runRounds(subjects, ROUNDS);
  printFigures(name, {
    'processor time, sdk / openapi-fetch': ratios(times.sdk, times.openapi),
    'processor time, sdk / bare fetch': ratios(times.sdk, times.bare),
    'processor time, sdk / built client of the folder': ratios(times.sdk, times.other),
    'processor time of a call of the sdk, µs': times.sdk,
  });
}
