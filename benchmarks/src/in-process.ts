import { createBenchmarkAccount, waitForTasks } from './account.ts';
import { createFigure, type Figure, type Goal } from './figure.ts';
import { createOrders } from './orders.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';

const ROUNDS = 15;
const CALLS = 2_000;
const measuredOperations: readonly [path: string, goal: Goal][] = [
  ['/quotes', { atMost: 2.5 }],
  ['/payments', { atMost: 4 }],
];

/** Compares `mock.fetch` with creating and parsing a `Request`, then creating and reading a `Response` of the same bytes. */
export async function measureInProcess(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [path, goal] of measuredOperations) figures.push(...(await compare(path, goal)));
  return figures;
}

async function compare(path: string, goal: Goal): Promise<Figure[]> {
  const { mock, headers } = createBenchmarkAccount();
  const url = `${mock.baseUrl}${path}`;
  const nextBody = createBodies(path);
  const init = (): RequestInit => ({ method: 'POST', headers, body: nextBody() });
  const sample = await mock.fetch(url, init());
  if (!sample.ok) throw new Error(`POST ${path} responded with ${sample.status}.`);
  const response = { status: sample.status, headers: [...sample.headers], body: await sample.text() };
  const bareFetch = async (...request: [string, RequestInit]): Promise<Response> => {
    await new Request(...request).json();
    return new Response(response.body, { status: response.status, headers: response.headers });
  };
  const times = await runRounds(
    {
      mock: timeCalls(init, (request) => mock.fetch(url, request)),
      bare: timeCalls(init, (request) => bareFetch(url, request)),
    },
    ROUNDS,
  );
  return [
    createFigure(`In process POST ${path}: time, mock / bare`, ratios(times.mock, times.bare), { goal }),
    createFigure(`In process POST ${path}: time of a call, mock`, times.mock, { unit: ' µs' }),
    createFigure(`In process POST ${path}: time of a call, bare`, times.bare, { unit: ' µs' }),
  ];
}

/** Returns a source of request bodies. A quote has three of the fields of a payment. */
function createBodies(path: string): () => string {
  const nextOrder = createOrders(1);
  if (path === '/payments') return nextOrder;
  return () => JSON.stringify(JSON.parse(nextOrder()), ['from_currency', 'to_currency', 'amount']);
}

/** Returns a subject that times sequential calls, including the work after each response, in microseconds per call. */
function timeCalls(init: () => RequestInit, call: (request: RequestInit) => Promise<Response>): Subject {
  return async () => {
    const requests = Array.from({ length: CALLS }, init);
    const start = performance.now();
    for (const request of requests) await (await call(request)).text();
    await waitForTasks();
    return ((performance.now() - start) * 1_000) / CALLS;
  };
}
