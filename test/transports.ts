import type { Mock, MockOptions } from '@service/mock';

/** A webhook receiver. */
export type Receive = (request: Request) => Promise<Response>;

/** The URL of a receiver, and the mock options for deliveries to it. */
export interface WebhookEndpoint {
  url: string;
  options: MockOptions;
  close: () => Promise<void>;
}

/** The `fetch` and base URL of a client, connected to a mock. */
export interface Connection {
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  close: () => Promise<void>;
}

/** A transport between clients and a mock, and between the mock and a webhook receiver. */
export interface Transport {
  name: string;
  listen: (receive: Receive) => Promise<WebhookEndpoint>;
  connect: (mock: Mock) => Promise<Connection>;
}

/** Calls the current global `fetch`, which MSW may replace later. */
export const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** Connects to a mock without a network. */
export const injected = async (mock: Mock): Promise<Connection> => ({
  baseUrl: mock.baseUrl,
  fetch: mock.fetch,
  close: async () => {},
});
