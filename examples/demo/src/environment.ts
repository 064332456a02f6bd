import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { type Client, createClient } from '@service/sdk';
import { createReceiver, type WebhookEvent } from '@service/webhooks';

/** A mock service, a client, and a webhook receiver. */
export type Environment = AsyncDisposable & {
  mock: Mock;
  client: Client;
  baseUrl: string;
  webhookUrl: string;
  secret: string;
  /** The verified and handled events, in order. */
  handled: WebhookEvent[];
  /** The codes of the rejected webhooks, in order. */
  rejected: string[];
};

/** Starts the service and the receiver as HTTP servers on free ports. The sandbox clock runs 10 times faster. */
export async function startEnvironment(): Promise<Environment> {
  const mock = createMock({ clock: { speed: 10 } });
  const server = await listen(mock, { port: 0 });
  const receiver = await startReceiver();
  const { secret } = mock.sandbox.webhooks.setEndpoint({ url: receiver.url });
  receiver.setSecret(secret);
  return {
    mock,
    client: createClient({ apiKey: mock.account.testKey, baseUrl: server.baseUrl }),
    baseUrl: server.baseUrl,
    webhookUrl: receiver.url,
    secret,
    handled: receiver.handled,
    rejected: receiver.rejected,
    async [Symbol.asyncDispose]() {
      await mock.close();
      await server.close();
      receiver.close();
    },
  };
}

interface WebhookReceiver {
  url: string;
  handled: WebhookEvent[];
  rejected: string[];
  setSecret: (secret: string) => void;
  close: () => void;
}

/** Starts a receiver. It responds with 503 until it has a signing secret, which requires its URL. */
async function startReceiver(): Promise<WebhookReceiver> {
  const handled: WebhookEvent[] = [];
  const rejected: string[] = [];
  let receive: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = serve({ fetch: (request) => receive(request), hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    handled,
    rejected,
    setSecret(secret) {
      receive = createReceiver({
        secrets: secret,
        mode: 'test',
        on: {},
        fallback: (event) => handled.push(event),
        onError: ({ code }) => rejected.push(code),
      });
    },
    close: () => server.close(),
  };
}
