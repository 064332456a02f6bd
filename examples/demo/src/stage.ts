import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { createMock, type Mock } from '@service/mock';
import { listen } from '@service/mock/node';
import { type Client, createClient } from '@service/sdk';
import { createReceiver, type WebhookEvent } from '@service/webhooks';

/** Holds all that the demo plays with: a service, a client of it, and a receiver of its webhooks. */
export type Stage = AsyncDisposable & {
  mock: Mock;
  client: Client;
  baseUrl: string;
  hooksUrl: string;
  secret: string;
  /** The events that the receiver has verified and handled, in order. */
  handled: WebhookEvent[];
};

/** Starts the service and the receiver as real HTTP servers on free ports; time runs ten times as fast. */
export async function setStage(): Promise<Stage> {
  const mock = createMock({ clock: { speed: 10 } });
  const server = await listen(mock, { port: 0 });
  const inbox = await openInbox();
  const { secret } = mock.sandbox.webhooks.setEndpoint({ url: inbox.url });
  inbox.trust(secret);
  return {
    mock,
    client: createClient({ apiKey: mock.account.testKey, baseUrl: server.baseUrl }),
    baseUrl: server.baseUrl,
    hooksUrl: inbox.url,
    secret,
    handled: inbox.handled,
    async [Symbol.asyncDispose]() {
      await mock.close();
      await server.close();
      inbox.close();
    },
  };
}

type Inbox = { url: string; handled: WebhookEvent[]; trust: (secret: string) => void; close: () => void };

/** Opens a receiver; the service tells the signing secret only once it knows the address. */
async function openInbox(): Promise<Inbox> {
  const handled: WebhookEvent[] = [];
  let receive: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = serve({ fetch: (request) => receive(request), hostname: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    handled,
    trust(secret) {
      receive = createReceiver({
        secrets: secret,
        mode: 'test',
        on: {},
        fallback: (event) => handled.push(event),
      });
    },
    close: () => server.close(),
  };
}
