import { addPayments, type BenchmarkAccount, createBenchmarkAccount, readHeap } from './account.ts';
import { createFigure, type Figure } from './figure.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const FILTERS = ['', 'type=payment', 'status=pending', 'status=failed'] as const;
const PAGES = ['first', 'middle', 'last'] as const;
const ROUNDS = 7;
const CALLS = 15;
const BYTES = 1_000;

/** Measures the memory per payment, and the time of a page of a long history relative to a short one. */
export async function measureHistory(): Promise<Figure[]> {
  await addPayments(createBenchmarkAccount(), 2_000);
  const figures: Figure[] = [];
  const accounts = new Map<number, BenchmarkAccount>();
  for (const size of SIZES) {
    const account = createBenchmarkAccount();
    accounts.set(size, account);
    figures.push(...(await measureHeap(account, size)));
  }
  for (const filter of FILTERS) figures.push(...(await measurePages(accounts, filter)));
  return [...figures, ...(await measureCreates(accounts))];
}

/** Compares the first, middle and last page with the same page of a short history, and with each other. */
async function measurePages(
  accounts: ReadonlyMap<number, BenchmarkAccount>,
  filter: (typeof FILTERS)[number],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const subjects: Record<string, Subject> = {};
  const longest = accounts.get(SIZES[2]);
  for (const page of PAGES) {
    figures.push(...(await measurePage(accounts, { filter, page })));
    if (longest !== undefined) subjects[page] = await timePage(longest, { filter, page });
  }
  const times = Object.values(await runRounds(subjects, ROUNDS));
  const spread = Array.from({ length: ROUNDS }, (_, round) => {
    const each = times.map((rounds) => rounds[round] ?? Number.NaN);
    return Math.max(...each) / Math.min(...each);
  });
  const name = `GET /transactions${filter && `?${filter}`}: slowest / fastest page at ${SIZES[2]} payments`;
  return [...figures, createFigure(name, spread, { goal: { atMost: 3 } })];
}

const CREATES = 200;

/** Compares a create after many payments with a create after few. */
async function measureCreates(accounts: ReadonlyMap<number, BenchmarkAccount>): Promise<Figure[]> {
  const subjects: Record<string, Subject> = {};
  for (const [size, account] of accounts) {
    subjects[String(size)] = async () => {
      const start = performance.now();
      await addPayments(account, CREATES);
      return ((performance.now() - start) * 1_000) / CREATES;
    };
  }
  const times = await runRounds(subjects, ROUNDS);
  const [base, ...larger] = SIZES;
  return larger.map((size) =>
    createFigure(
      `POST /payments after ${size} / after ${base} payments`,
      ratios(times[size] ?? [], times[base] ?? []),
    ),
  );
}

/** Creates payments: the first half completes, the second half stays pending. */
async function measureHeap(account: BenchmarkAccount, size: number): Promise<Figure[]> {
  const half = size / 2;
  const empty = await readHeap();
  await addPayments(account, half);
  const pending = await readHeap();
  await account.mock.sandbox.clock.advance('10s');
  const completed = await readHeap();
  // With the opening deposit the history then has exactly `size` rows.
  await addPayments(account, half - 1);
  const name = `Heap of a payment among ${half}`;
  const options = { unit: ' kB', goal: { atMost: 1.2 } };
  return [
    createFigure(`${name}, pending`, [(pending - empty) / half / BYTES], options),
    createFigure(`${name}, completed`, [(completed - empty) / half / BYTES], options),
  ];
}

interface PageRequest {
  readonly filter: (typeof FILTERS)[number];
  readonly page: (typeof PAGES)[number];
}

async function measurePage(
  accounts: ReadonlyMap<number, BenchmarkAccount>,
  request: PageRequest,
): Promise<Figure[]> {
  const subjects: Record<string, Subject> = {};
  for (const [size, account] of accounts) subjects[String(size)] = await timePage(account, request);
  const times = await runRounds(subjects, ROUNDS);
  const [base, ...larger] = SIZES;
  const name = `GET /transactions${request.filter && `?${request.filter}`}, ${request.page} page`;
  const short = times[base] ?? [];
  return [
    createFigure(`${name}: time at ${base} payments`, short, { unit: ' µs' }),
    ...larger.map((size) =>
      createFigure(`${name}: ${size} / ${base} payments`, ratios(times[size] ?? [], short), {
        goal: { atMost: 3 },
      }),
    ),
  ];
}

interface Page {
  readonly data: { readonly pagination: { readonly total_pages: number } };
}

/** Returns a subject that requests one page repeatedly and returns the microseconds per request. */
async function timePage(
  { mock, headers }: BenchmarkAccount,
  { filter, page }: PageRequest,
): Promise<Subject> {
  const fetchPage = async (number: number): Promise<Page> => {
    const response = await mock.fetch(`${mock.baseUrl}/transactions?page=${number}&${filter}`, { headers });
    if (response.status !== 200) throw new Error(`GET /transactions responded with ${response.status}.`);
    return (await response.json()) as Page;
  };
  const { total_pages } = (await fetchPage(1)).data.pagination;
  // An empty result still has a first page.
  const last = Math.max(1, total_pages);
  const number = { first: 1, middle: Math.ceil(last / 2), last }[page];
  return async () => {
    const start = performance.now();
    for (let call = 0; call < CALLS; call += 1) await fetchPage(number);
    return ((performance.now() - start) * 1_000) / CALLS;
  };
}
