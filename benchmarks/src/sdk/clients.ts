// Each client as its own documentation has it: made once, its own base address, retries and time limits left as they are.
import ky from 'ky';
import { OpenAI } from 'openai';
import createOpenapiClient from 'openapi-fetch';
import { Stripe } from 'stripe';
import type { paths } from '@service/contract';
import { createClient } from '@service/sdk';
import { apiKey, type Operation, paymentId, paymentInput, quoteInput } from './operations.ts';

/** Says where a client sends, by which `fetch`, and whether a server listens there for those that bring their own way. */
export interface Way {
  readonly origin: string;
  readonly fetch: typeof globalThis.fetch;
  readonly isServed: boolean;
}

/** Is one way to make a call; it resolves once the answer is parsed. */
export type Ask = () => Promise<unknown>;

const ROOT = '/api/v1';
const authorization = `Bearer ${apiKey}`;

/** Makes every client, and returns how each of them carries out an operation. */
export function createAsks(operation: Operation, way: Way): Readonly<Record<string, Ask>> {
  return {
    fetch: askBare(operation, way),
    'openapi-fetch': askOpenapi(operation, way),
    sdk: askSdk(operation, way),
    ...(!way.isServed && {
      'sdk with a function of its own': askSdk(operation, { ...way, fetch: (request) => way.fetch(request) }),
    }),
    ky: askKy(operation, way),
    stripe: askStripe(operation, way, Stripe.createFetchHttpClient(way.fetch)),
    openai: askOpenai(operation, way),
    ...(way.isServed && { 'stripe on node:http': askStripe(operation, way) }),
  };
}

/** The least that a call can be: one `fetch`, its answer read as JSON. */
function askBare({ method, path, body }: Operation, { origin, fetch }: Way): Ask {
  const url = `${origin}${ROOT}${path}`;
  const headers = { authorization, 'content-type': 'application/json' };
  return async () => {
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return answer.json();
  };
}

function askOpenapi({ name }: Operation, { origin, fetch }: Way): Ask {
  const client = createOpenapiClient<paths>({
    baseUrl: `${origin}${ROOT}`,
    headers: { authorization },
    fetch,
  });
  const params = { path: { payment_id: paymentId } };
  const asks: Record<string, Ask> = {
    'GET /balance': () => client.GET('/balance'),
    'GET /payments/{payment_id}': () => client.GET('/payments/{payment_id}', { params }),
    'POST /quotes': () => client.POST('/quotes', { body: quoteInput }),
    'POST /payments': () => client.POST('/payments', { body: paymentInput }),
  };
  return pick(asks, name);
}

function askSdk({ name }: Operation, { origin, fetch }: Way): Ask {
  const client = createClient({ apiKey, baseUrl: `${origin}${ROOT}`, fetch });
  const asks: Record<string, Ask> = {
    'GET /balance': () => client.balance.retrieve(),
    'GET /payments/{payment_id}': () => client.payments.retrieve(paymentId),
    'POST /quotes': () => client.quotes.create(quoteInput),
    'POST /payments': () => client.payments.create(paymentInput),
  };
  return pick(asks, name);
}

function askKy({ method, path, body }: Operation, { origin, fetch }: Way): Ask {
  const client = ky.create({
    prefix: `${origin}${ROOT}`,
    headers: { authorization },
    fetch,
  });
  return method === 'GET' ? () => client.get(path).json() : () => client.post(path, { json: body }).json();
}

/** Writes bodies as JSON, as the others do, under the paths of its second version; its own way is `node:http`. */
function askStripe(
  { method, path, body }: Operation,
  { origin }: Way,
  httpClient?: ReturnType<typeof Stripe.createFetchHttpClient>,
): Ask {
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

function askOpenai({ method, path, body }: Operation, { origin, fetch }: Way): Ask {
  const client = new OpenAI({ apiKey, baseURL: `${origin}${ROOT}`, fetch });
  return method === 'GET' ? () => client.get(path) : () => client.post(path, { body });
}

function pick(asks: Record<string, Ask>, name: string): Ask {
  const ask = asks[name];
  if (ask === undefined) throw new Error(`there is no call for ${name}`);
  return ask;
}
