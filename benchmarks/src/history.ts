import { type Bench, createBench, readHeap, settle } from './account.ts';
import { createFigure, type Figure } from './figure.ts';
import { createOrders } from './orders.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';

const SIZES = [1_000, 100_000, 1_000_000] as const;
const FILTERS = ['', 'type=payment', 'status=pending', 'status=failed'] as const;
const PAGES = ['first', 'middle', 'last'] as const;
const ROUNDS = 7;
const CALLS = 15;
const BYTES = 1_000;

/** Measures what payments cost in memory, and what pages of a long history cost against those of a short one. */
export async function measureHistory(): Promise<Figure[]> {
  await grow(createBench(), 2_000);
  const figures: Figure[] = [];
  const benches = new Map<number, Bench>();
  for (const size of SIZES) {
    const bench = createBench();
    benches.set(size, bench);
    figures.push(...(await measureHeap(bench, size)));
  }
  for (const filter of FILTERS) figures.push(...(await measurePages(benches, filter)));
  return [...figures, ...(await measureCreates(benches))];
}

/** Measures the first, a middle and the last page, each against a short history's and against each other in the longest. */
async function measurePages(
  benches: ReadonlyMap<number, Bench>,
  filter: (typeof FILTERS)[number],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const subjects: Record<string, Subject> = {};
  const longest = benches.get(SIZES[2]);
  for (const page of PAGES) {
    figures.push(...(await measurePage(benches, { filter, page })));
    if (longest !== undefined) subjects[page] = await timePage(longest, { filter, page });
  }
  const times = Object.values(await runRounds(subjects, ROUNDS));
  const spread = Array.from({ length: ROUNDS }, (_, round) => {
    const each = times.map((rounds) => rounds[round] ?? Number.NaN);
    return Math.max(...each) / Math.min(...each);
  });
  const name = `GET /transactions${filter && `?${filter}`}: slowest / quickest page at ${SIZES[2]} payments`;
  return [...figures, createFigure(name, spread, { goal: { atMost: 3 } })];
}

const CREATES = 200;

/** Measures a create after many against one after few. */
async function measureCreates(benches: ReadonlyMap<number, Bench>): Promise<Figure[]> {
  const subjects: Record<string, Subject> = {};
  for (const [size, bench] of benches) {
    subjects[String(size)] = async () => {
      const start = performance.now();
      await grow(bench, CREATES);
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

/** Fills an account: the first half of its payments completes, the second half stays pending. */
async function measureHeap(bench: Bench, size: number): Promise<Figure[]> {
  const half = size / 2;
  const empty = await readHeap();
  await grow(bench, half);
  const pending = await readHeap();
  await bench.mock.sandbox.clock.advance('10s');
  const completed = await readHeap();
  // With the opening deposit the history then has exactly `size` rows.
  await grow(bench, half - 1);
  const name = `Heap of a payment among ${half}`;
  const options = { unit: ' kB', goal: { atMost: 1.2 } };
  return [
    createFigure(`${name}, pending`, [(pending - empty) / half / BYTES], options),
    createFigure(`${name}, completed`, [(completed - empty) / half / BYTES], options),
  ];
}

async function grow({ mock, headers }: Bench, count: number): Promise<void> {
  const nextBody = createOrders(count);
  for (let made = 0; made < count; made += 1) {
    const { status } = await mock.fetch(`${mock.baseUrl}/payments`, {
      method: 'POST',
      headers,
      body: nextBody(),
    });
    if (status !== 201) throw new Error(`a payment was answered ${status}`);
    if (made % 1_000 === 0) await settle();
  }
  await settle();
}

interface Place {
  readonly filter: (typeof FILTERS)[number];
  readonly page: (typeof PAGES)[number];
}

async function measurePage(benches: ReadonlyMap<number, Bench>, place: Place): Promise<Figure[]> {
  const subjects: Record<string, Subject> = {};
  for (const [size, bench] of benches) subjects[String(size)] = await timePage(bench, place);
  const times = await runRounds(subjects, ROUNDS);
  const [base, ...larger] = SIZES;
  const name = `GET /transactions${place.filter && `?${place.filter}`}, ${place.page} page`;
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

type Page = { readonly data: { readonly pagination: { readonly total_pages: number } } };

/** Makes a subject that asks for one page several times and returns the microseconds of a call. */
async function timePage({ mock, headers }: Bench, { filter, page }: Place): Promise<Subject> {
  const read = async (number: number): Promise<Page> => {
    const response = await mock.fetch(`${mock.baseUrl}/transactions?page=${number}&${filter}`, { headers });
    if (response.status !== 200) throw new Error(`a page was answered ${response.status}`);
    return (await response.json()) as Page;
  };
  const { total_pages } = (await read(1)).data.pagination;
  // Where nothing matches there is still a first page, which is empty.
  const last = Math.max(1, total_pages);
  const number = { first: 1, middle: Math.ceil(last / 2), last }[page];
  return async () => {
    const start = performance.now();
    for (let call = 0; call < CALLS; call += 1) await read(number);
    return ((performance.now() - start) * 1_000) / CALLS;
  };
}
