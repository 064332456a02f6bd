import type { ObservedResponse } from './run.ts';
import { origins, redirects } from './transport.ts';

/** A difference between a transport and the injected fetch that the runtime makes unavoidable. */
export interface Limit {
  transports: string[];
  scenarios: string[];
  reason: string;
  /** The expected part of every response. Omitted if the transport cannot run the scenario. */
  response?: Partial<ObservedResponse>;
}

const browserTransports = ['an injected fetch in a browser', 'MSW 3 in a browser'];
const opaqueResponse = { status: 0, headers: {}, hasRequestId: false, text: '' };

/** All differences between transports. */
export const limits: Limit[] = [
  {
    transports: browserTransports,
    scenarios: origins.map(({ name }) => name),
    reason: 'a page cannot set Origin: the browser sets or removes it',
  },
  {
    transports: ['MSW 3 in a browser'],
    scenarios: [redirects.name],
    reason: 'fetch hides redirects from a page: the response is opaque, with status 0',
    response: opaqueResponse,
  },
  {
    transports: ['MSW 3 in a browser'],
    scenarios: ['authentication: a key with non-ASCII characters gets 401'],
    reason: 'Chromium passes a non-ASCII header to a service worker as empty, so the error message differs',
    response: { status: 401 },
  },
  {
    transports: ['real HTTP'],
    scenarios: ['HTTP: unknown methods get 405'],
    reason: 'the HTTP parser of Node rejects the request',
    response: { status: 400 },
  },
  {
    transports: ['MSW 3 in Node'],
    scenarios: ['HTTP: unknown methods get 405'],
    reason: 'msw 3 parses requests with the HTTP parser of Node',
    response: { status: 'lost' },
  },
];
