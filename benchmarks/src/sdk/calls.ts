import { createFigure, type Figure, type Goal } from '../figure.ts';
import { ratios, runRounds, type Subject } from '../rounds.ts';
import { type SendRequest, createSenders, type Transport } from './clients.ts';
import { headers, type Operation, operations } from './operations.ts';
import { serveResponses } from './serve.ts';

/** The number of calls per round, the number of rounds, and the goal of a comparison. */
interface Load {
  readonly calls: number;
  readonly rounds: number;
  readonly goal: Goal;
}

/**
 * Measures every client on a replaced global `fetch` that responds at once: the cost of the client itself. One more figure
 * is the cost of a custom `fetch` option, which receives a `Request`.
 */
export async function measureInProcess(): Promise<Figure[]> {
  const load = { calls: 300, rounds: 25, goal: { atMost: 1.5 } };
  const originalFetch = globalThis.fetch;
  const figures: Figure[] = [];
  try {
    for (const operation of operations) {
      const fetch = respondWith(operation.response);
      globalThis.fetch = fetch;
      figures.push(
        ...(await compare(operation, { origin: 'http://localhost:4010', fetch, isListening: false }, load)),
      );
    }
  } finally {
    globalThis.fetch = originalFetch;
  }
  return figures;
}

/** Returns a `fetch` that responds at once. Like every `fetch`, it creates a new `Request` from its arguments. */
function respondWith(response: string): typeof globalThis.fetch {
  return async (input, init) => {
    new Request(input, init).signal.throwIfAborted();
    return new Response(response, { status: 200, headers });
  };
}

/** Measures every client over a loopback socket: the cost of the client relative to a real request. */
export async function measureLoopback(): Promise<Figure[]> {
  await using server = await serveResponses(operations);
  const load = { calls: 80, rounds: 25, goal: { atMost: 1.1 } };
  const figures: Figure[] = [];
  for (const operation of operations) {
    figures.push(...(await compare(operation, { origin: server.origin, fetch, isListening: true }, load)));
  }
  return figures;
}

async function compare(
  operation: Operation,
  transport: Transport,
  { calls, rounds, goal }: Load,
): Promise<Figure[]> {
  const senders = createSenders(operation, transport);
  await checkSenders(senders, operation);
  globalThis.gc?.();
  const subjects = Object.entries(senders).map(([name, send]) => [name, timeCalls(calls, send)] as const);
  const times = await runRounds<string>(Object.fromEntries(subjects), rounds);
  const ratio = (of: string, to: string, target?: Goal): Figure =>
    createFigure(`${operation.name}: time, ${of} / ${to}`, ratios(times[of] ?? [], times[to] ?? []), {
      ...(target && { goal: target }),
    });
  const peers = Object.keys(senders).filter((name) => !name.startsWith('sdk') && name !== 'fetch');
  return [
    ratio('sdk', 'openapi-fetch', goal),
    ...['ky', 'stripe', 'openai'].map((peer) => ratio('sdk', peer, { atMost: 1 })),
    ...(transport.isListening ? [] : [ratio('sdk with a custom fetch', 'openapi-fetch')]),
    ratio('sdk', 'fetch'),
    ...peers.map((peer) => ratio(peer, 'fetch')),
    createFigure(`${operation.name}: time of a call, sdk`, times.sdk ?? [], { unit: ' µs' }),
    createFigure(`${operation.name}: time of a call, bare fetch`, times.fetch ?? [], { unit: ' µs' }),
  ];
}

/** Throws if a client does not parse the response: a client that fails must not look fast. */
async function checkSenders(
  senders: Readonly<Record<string, SendRequest>>,
  { name, response }: Operation,
): Promise<void> {
  const { data } = JSON.parse(response) as { data: object };
  const [field = ''] = Object.keys(data);
  for (const [client, send] of Object.entries(senders)) {
    if (JSON.stringify(await send()).includes(`"${field}"`)) continue;
    throw new Error(`${client} did not parse the response of ${name}.`);
  }
}

/** Returns a subject that times sequential calls after a minor garbage collection, in microseconds per call. */
function timeCalls(calls: number, send: SendRequest): Subject {
  return async () => {
    globalThis.gc?.({ type: 'minor' });
    const start = performance.now();
    for (let count = 0; count < calls; count += 1) await send();
    return ((performance.now() - start) * 1_000) / calls;
  };
}
