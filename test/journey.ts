import { createMock, type Mock } from '@service/mock';
import { createClient } from '@service/sdk';
import { createReceiver } from '@service/webhooks/edge';
import { findDeviations } from './support/conformance.ts';
import type { Transport } from './transports.ts';

interface RecordedResponse {
  call: string;
  status: number;
  headers: Record<string, string>;
  hasRequestId: boolean;
  text: string;
  deviations: string[];
}
interface RecordedWebhook {
  body: string;
  signature: string | null;
  status: number;
}

/** The responses of a client and the webhooks of a receiver, in order. */
export interface Transcript {
  responses: RecordedResponse[];
  webhooks: RecordedWebhook[];
}

const requestHeaders = new Set([
  'content-type',
  'cache-control',
  'allow',
  'www-authenticate',
  'retry-after',
  'idempotent-replayed',
]);

/** Wraps a `fetch`: records every response and its deviations from openapi.yaml. */
function recordResponses(
  fetch: typeof globalThis.fetch,
  responses: RecordedResponse[],
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url } = request;
    const response = await fetch(request);
    const text = await response.clone().text();
    const deviations = findDeviations(method, url, {
      status: response.status,
      headers: response.headers,
      text,
    });
    const headers = Object.fromEntries([...response.headers].filter(([name]) => requestHeaders.has(name)));
    const hasRequestId = response.headers.has('x-request-id');
    const { pathname, search } = new URL(url);
    responses.push({
      call: `${method} ${pathname}${search}`,
      status: response.status,
      headers,
      hasRequestId,
      text,
      deviations,
    });
    return response;
  };
}

/** Runs two payments from create to final status over a transport, and records all responses and webhooks. */
export async function runJourney(transport: Transport): Promise<Transcript> {
  const transcript: Transcript = { responses: [], webhooks: [] };
  let secret = 'unset';
  const endpoint = await transport.listen(async (request) => {
    const receive = createReceiver({ secrets: secret, mode: 'test', on: {}, fallback: () => {} });
    const [body, signature] = [await request.clone().text(), request.headers.get('x-service-signature')];
    const response = await receive(request);
    transcript.webhooks.push({ body, signature, status: response.status });
    return response;
  });
  const mock = createMock({
    clock: 'manual',
    start: '2026-01-31T12:00:00Z',
    seed: 'journey',
    ...endpoint.options,
  });
  secret = mock.sandbox.webhooks.setEndpoint({ url: endpoint.url }).secret;
  const connection = await transport.connect(mock);
  try {
    await runPayments(mock, connection.baseUrl, recordResponses(connection.fetch, transcript.responses));
  } finally {
    await connection.close();
    await mock.close();
    await endpoint.close();
  }
  return transcript;
}

async function runPayments(mock: Mock, baseUrl: string, fetch: typeof globalThis.fetch): Promise<void> {
  const client = createClient({ apiKey: mock.account.testKey, baseUrl, fetch, allowBrowser: true });
  await client.balance.retrieve();
  await client.quotes.create({ from_currency: 'USD', to_currency: 'EUR', amount: '29.00' });
  const order = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: 1000,
    beneficiary_name: 'José 株式会社 👩‍👩‍👧‍👦',
  };
  const paid = await client.payments.create({ ...order, purpose: 'INV-1' }, { idempotencyKey: 'inv-1' });
  await client.payments.create({ ...order, purpose: 'INV-1' }, { idempotencyKey: 'inv-1' });
  const failing = await client.payments.create({ ...order, beneficiary_account: 'SIM-FAIL' });
  for (const wait of ['0s', '1s', '3s'] as const) {
    await mock.sandbox.clock.advance(wait);
    await client.payments.retrieve(paid.id);
    await client.payments.retrieve(failing.id);
  }
  await client.balance.retrieve();
  await client.transactions.list({ per_page: 3 });
  await client.transactions.list({ status: 'failed', page: 1 });
  await sendInvalidRequests(mock, baseUrl, fetch);
}

/** Sends invalid requests that the client would reject. */
async function sendInvalidRequests(
  mock: Mock,
  baseUrl: string,
  fetch: typeof globalThis.fetch,
): Promise<void> {
  const headers = { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' };
  const post = (path: string, body: string, extraHeaders: Record<string, string> = {}): Promise<Response> =>
    fetch(`${baseUrl}${path}`, { method: 'POST', headers: { ...headers, ...extraHeaders }, body });
  await fetch(`${baseUrl}/balance`);
  await fetch(`${baseUrl}/balance`, { method: 'HEAD', headers });
  await fetch(`${baseUrl}/balance`, { method: 'OPTIONS' });
  await fetch(`${baseUrl}/balance`, { method: 'DELETE', headers });
  await fetch(`${baseUrl}/nothing`, { headers });
  await fetch(`${baseUrl}/payments/pay_test_000000000000000000000000`, { headers });
  await fetch(`${baseUrl}/transactions?per_page=0&status=lost`, { headers });
  await post('/payments', '{');
  await post('/payments', ' '.repeat(65_537));
  await post('/payments', '{}', { 'content-type': 'text/plain' });
  await post('/payments', '{"amount":0.1234567,"from_currency":"usd"}');
  await post(
    '/payments',
    '{"amount":999999999.99,"from_currency":"USD","to_currency":"EUR","beneficiary_name":"A"}',
  );
  mock.sandbox.profile.set({ rateLimit: { requests: 0, window: '30s' } });
  await fetch(`${baseUrl}/balance`, { headers });
}
