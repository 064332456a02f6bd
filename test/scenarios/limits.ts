import type { Answer } from './play.ts';
import { origins, redirects } from './transport.ts';

/** Where a way shows something else than the injected fetch does, by its nature. */
export type Limit = {
  over: string[];
  scenarios: string[];
  why: string;
  /** What every answer looks like there; left out where the scenario cannot be played at all. */
  sees?: Partial<Answer>;
};

const pages = ['an injected fetch in a browser', 'MSW 3 in a browser'];
const HIDDEN = { status: 0, headers: {}, hasRequestId: false, text: '' };

/** All that is not the same over every way (contract.md 7). */
export const limits: Limit[] = [
  {
    over: pages,
    scenarios: origins.map(({ name }) => name),
    why: 'a page cannot say where it comes from: the browser sets Origin, or drops it',
  },
  {
    over: ['MSW 3 in a browser'],
    scenarios: [redirects.name],
    why: 'fetch hides a redirect from a page: the answer is opaque, of status 0',
    sees: HIDDEN,
  },
  {
    over: ['MSW 3 in a browser'],
    scenarios: ['access: a key beyond ASCII'],
    why: 'Chromium hands a header beyond ASCII to a service worker as an empty one, so that the refusal has other words',
    sees: { status: 401 },
  },
  {
    over: ['real HTTP'],
    scenarios: ['transport: methods that HTTP does not know'],
    why: 'the parser of Node refuses them before there is a call',
    sees: { status: 400 },
  },
  {
    over: ['MSW 3 in Node'],
    scenarios: ['transport: methods that HTTP does not know'],
    why: 'msw 3 has the parser of Node read what the client writes',
    sees: { status: 'lost' },
  },
];
