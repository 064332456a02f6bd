import { setupWorker } from 'msw/browser';
import { createHandlers } from '@service/mock/msw';
import { type Access, globalFetch, type Inbox, injected, type Receive, type Way } from './ways.ts';
import type { Mock } from '@service/mock';

/** Receives webhooks within the page. */
const receiveInPage = async (receive: Receive): Promise<Inbox> => ({
  url: 'http://localhost/hooks',
  options: { fetch: receive },
  close: async () => {},
});

async function interceptInBrowser(mock: Mock): Promise<Access> {
  const worker = setupWorker(...createHandlers(mock));
  await worker.start({ quiet: true, onUnhandledFrame: 'bypass' });
  return { baseUrl: mock.baseUrl, fetch: globalFetch, close: async () => worker.stop() };
}

/** The ways into a mock that a browser has. */
export const ways: Way[] = [
  { name: 'an injected fetch in a browser', receive: receiveInPage, enter: injected },
  { name: 'MSW 3 in a browser', receive: receiveInPage, enter: interceptInBrowser },
];
