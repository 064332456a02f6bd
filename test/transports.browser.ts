import { setupWorker } from 'msw/browser';
import { createHandlers } from '@service/mock/msw';
import {
  type Connection,
  globalFetch,
  type WebhookEndpoint,
  injected,
  type Receive,
  type Transport,
} from './transports.ts';
import type { Mock } from '@service/mock';

const receiveInPage = async (receive: Receive): Promise<WebhookEndpoint> => ({
  url: 'http://localhost/hooks',
  options: { fetch: receive },
  close: async () => {},
});

async function interceptInBrowser(mock: Mock): Promise<Connection> {
  const worker = setupWorker(...createHandlers(mock));
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  return { baseUrl: mock.baseUrl, fetch: globalFetch, close: async () => worker.stop() };
}

/** The transports of a browser. */
export const transports: Transport[] = [
  { name: 'an injected fetch in a browser', listen: receiveInPage, connect: injected },
  { name: 'MSW 3 in a browser', listen: receiveInPage, connect: interceptInBrowser },
];
