import { createFigure, type Figure, type Goal } from '../figure.ts';
import { ratios, runRounds, type Subject } from '../rounds.ts';
import { type Ask, createAsks, type Way } from './clients.ts';
import { headers, type Operation, operations } from './operations.ts';
import { serveAnswers } from './serve.ts';

/** Sets how often each client is called in a round, how many rounds there are, and what a call may cost. */
interface Load {
  readonly calls: number;
  readonly rounds: number;
  readonly goal: Goal;
}

/**
 * Measures every client on a `fetch` that answers at once and stands in the place of the global one: what the client itself
 * costs those who name no `fetch`. One figure says what naming a function costs, which is handed a `Request`.
 */
export async function measureInProcess(): Promise<Figure[]> {
  const load = { calls: 300, rounds: 25, goal: { atMost: 1.5 } };
  const own = globalThis.fetch;
  const figures: Figure[] = [];
  try {
    for (const operation of operations) {
      const fetch = answerWith(operation.answer);
      globalThis.fetch = fetch;
      figures.push(
        ...(await compare(operation, { origin: 'http://localhost:4010', fetch, isServed: false }, load)),
      );
    }
  } finally {
    globalThis.fetch = own;
  }
  return figures;
}

/** Answers at once. As every `fetch` does, it makes a `Request` of its own of what it is given, also of one. */
function answerWith(answer: string): typeof globalThis.fetch {
  return async (input, init) => {
    new Request(input, init).signal.throwIfAborted();
    return new Response(answer, { status: 200, headers });
  };
}

/** Measures every client over a socket of this machine: what of its cost remains to be noticed. */
export async function measureLoopback(): Promise<Figure[]> {
  await using server = await serveAnswers(operations);
  const load = { calls: 80, rounds: 25, goal: { atMost: 1.1 } };
  const figures: Figure[] = [];
  for (const operation of operations) {
    figures.push(...(await compare(operation, { origin: server.origin, fetch, isServed: true }, load)));
  }
  return figures;
}

async function compare(operation: Operation, way: Way, { calls, rounds, goal }: Load): Promise<Figure[]> {
  const asks = createAsks(operation, way);
  await checkAnswers(asks, operation);
  globalThis.gc?.();
  const subjects = Object.entries(asks).map(([name, ask]) => [name, timeCalls(calls, ask)] as const);
  const times = await runRounds<string>(Object.fromEntries(subjects), rounds);
  const ratio = (of: string, to: string, aim?: Goal): Figure =>
    createFigure(`${operation.name}: time, ${of} / ${to}`, ratios(times[of] ?? [], times[to] ?? []), {
      ...(aim && { goal: aim }),
    });
  const peers = Object.keys(asks).filter((name) => !name.startsWith('sdk') && name !== 'fetch');
  return [
    ratio('sdk', 'openapi-fetch', goal),
    ...['ky', 'stripe', 'openai'].map((peer) => ratio('sdk', peer, { atMost: 1 })),
    ...(way.isServed ? [] : [ratio('sdk with a function of its own', 'openapi-fetch')]),
    ratio('sdk', 'fetch'),
    ...peers.map((peer) => ratio(peer, 'fetch')),
    createFigure(`${operation.name}: time of a call, sdk`, times.sdk ?? [], { unit: ' µs' }),
    createFigure(`${operation.name}: time of a call, fetch alone`, times.fetch ?? [], { unit: ' µs' }),
  ];
}

/** A client that fails, or reads something else, must not look quick. */
async function checkAnswers(asks: Readonly<Record<string, Ask>>, { name, answer }: Operation): Promise<void> {
  const { data } = JSON.parse(answer) as { data: object };
  const [mark = ''] = Object.keys(data);
  for (const [client, ask] of Object.entries(asks)) {
    if (JSON.stringify(await ask()).includes(`"${mark}"`)) continue;
    throw new Error(`${client} did not read the answer to ${name}`);
  }
}

/** Times calls one after another, with what they leave behind, on a heap swept of what was young; returns microseconds a call. */
function timeCalls(calls: number, ask: Ask): Subject {
  return async () => {
    globalThis.gc?.({ type: 'minor' });
    const start = performance.now();
    for (let count = 0; count < calls; count += 1) await ask();
    return ((performance.now() - start) * 1_000) / calls;
  };
}
