// Each client is configured as in its documentation: created once, with its default retries and timeouts.
import ky from 'ky';
import { OpenAI } from 'openai';
import createOpenapiClient from 'openapi-fetch';
import { Stripe } from 'stripe';
import type { paths } from '@service/contract';
import { createClient } from '@service/sdk';
import { apiKey, type Operation, paymentId, paymentInput, quoteInput } from './operations.ts';

/** The origin and `fetch` of a client, and whether a server listens at the origin for clients with their own HTTP stack. */
export interface Transport {
  readonly origin: string;
  readonly fetch: typeof globalThis.fetch;
  readonly isListening: boolean;
}

/** Sends one request. Resolves when the response is parsed. */
export type SendRequest = () => Promise<unknown>;

const ROOT = '/api/v1';
const authorization = `Bearer ${apiKey}`;

/** Creates every client, and returns a function per client that calls an operation. */
export function createSenders(
  operation: Operation,
  transport: Transport,
): Readonly<Record<string, SendRequest>> {
  return {
    fetch: createFetchSender(operation, transport),
    'openapi-fetch': createOpenapiSender(operation, transport),
    sdk: createSdkSender(operation, transport),
    ...(!transport.isListening && {
      'sdk with a custom fetch': createSdkSender(operation, {
        ...transport,
        fetch: (url, init) => transport.fetch(url, init),
      }),
    }),
    ky: createKySender(operation, transport),
    stripe: createStripeSender(operation, transport, Stripe.createFetchHttpClient(transport.fetch)),
    openai: createOpenaiSender(operation, transport),
    ...(transport.isListening && { 'stripe on node:http': createStripeSender(operation, transport) }),
  };
}

/** Returns the minimum of a call: one `fetch` with a JSON response. */
function createFetchSender({ method, path, body }: Operation, { origin, fetch }: Transport): SendRequest {
  const url = `${origin}${ROOT}${path}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return async () => {
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return response.json();
  };
}

function createOpenapiSender({ name }: Operation, { origin, fetch }: Transport): SendRequest {
  const client = createOpenapiClient<paths>({
    baseUrl: `${origin}${ROOT}`,
    headers: { authorization },
    fetch,
  });
  const params = { path: { payment_id: paymentId } };
  const senders: Record<string, SendRequest> = {
    'GET /balance': () => client.GET('/balance'),
    'GET /payments/{payment_id}': () => client.GET('/payments/{payment_id}', { params }),
    'POST /quotes': () => client.POST('/quotes', { body: quoteInput }),
    'POST /payments': () => client.POST('/payments', { body: paymentInput }),
  };
  return getSender(senders, name);
}

function createSdkSender({ name }: Operation, { origin, fetch }: Transport): SendRequest {
  const client = createClient({ apiKey, baseUrl: `${origin}${ROOT}`, fetch });
  const senders: Record<string, SendRequest> = {
    'GET /balance': () => client.balance.retrieve(),
    'GET /payments/{payment_id}': () => client.payments.retrieve(paymentId),
    'POST /quotes': () => client.quotes.create(quoteInput),
    'POST /payments': () => client.payments.create(paymentInput),
  };
  return getSender(senders, name);
}

function createKySender({ method, path, body }: Operation, { origin, fetch }: Transport): SendRequest {
  const client = ky.create({
    prefix: `${origin}${ROOT}`,
    headers: { authorization },
    fetch,
  });
  return method === 'GET' ? () => client.get(path).json() : () => client.post(path, { json: body }).json();
}

/** Uses the `/v2` paths of stripe, whose bodies are JSON like those of the other clients. Without `httpClient` it uses `node:http`. */
function createStripeSender(
  { method, path, body }: Operation,
  { origin }: Transport,
  httpClient?: ReturnType<typeof Stripe.createFetchHttpClient>,
): SendRequest {
  const { hostname, port } = new URL(origin);
  const client = new Stripe('sk_test_4f9c1d2e3b', {
    host: hostname,
    port,
    protocol: 'http',
    telemetry: false,
    ...(httpClient && { httpClient }),
  });
  return () => client.rawRequest(method, `/v2${path}`, body);
}

function createOpenaiSender({ method, path, body }: Operation, { origin, fetch }: Transport): SendRequest {
  const client = new OpenAI({ apiKey, baseURL: `${origin}${ROOT}`, fetch });
  return method === 'GET' ? () => client.get(path) : () => client.post(path, { body });
}

function getSender(senders: Record<string, SendRequest>, name: string): SendRequest {
  const send = senders[name];
  if (send === undefined) throw new Error(`The client has no call for ${name}.`);
  return send;
}
