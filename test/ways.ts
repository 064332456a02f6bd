import type { Mock, MockOptions } from '@service/mock';

/** Takes a webhook the way a receiver does. */
export type Receive = (request: Request) => Promise<Response>;

/** Where webhooks are received: its address, and the options of a mock that make it reach there. */
export type Inbox = { url: string; options: MockOptions; close: () => Promise<void> };

/** How a client reaches a mock. */
export type Access = { baseUrl: string; fetch: typeof globalThis.fetch; close: () => Promise<void> };

/** A way into a mock, and a way out of it for its webhooks. */
export type Way = {
  name: string;
  receive: (receive: Receive) => Promise<Inbox>;
  enter: (mock: Mock) => Promise<Access>;
};

/** Looks up the global `fetch` at each call, so that whatever intercepts it by then does. */
export const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);

/** Reaches a mock without a network. */
export const injected = async (mock: Mock): Promise<Access> => ({
  baseUrl: mock.baseUrl,
  fetch: mock.fetch,
  close: async () => {},
});
