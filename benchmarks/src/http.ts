import { createFigure, type Figure, type Goal } from './figure.ts';
import { type ServerProcess, startServer } from './http/child.ts';
import { createLoad, type Method, sendOnce } from './http/load.ts';
import { ratios, runRounds, WARM_UP } from './rounds.ts';

const ROUNDS = 9;
const loads: readonly [Method, string, Goal][] = [
  ['GET', 'GET /balance', { atLeast: 0.65 }],
  ['POST', 'POST /payments', { atLeast: 0.5 }],
];

/** Compares a listening mock with a bare `node:http` server that responds with the same bytes. */
export async function measureHttp(): Promise<Figure[]> {
  using mock = await startServer('serve-mock.ts');
  const responses = { GET: await sendOnce(mock, 'GET'), POST: await sendOnce(mock, 'POST') };
  using bare = await startServer('serve-bare.ts', JSON.stringify(responses));
  await Promise.all([sendOnce(bare, 'GET'), sendOnce(bare, 'POST')]);
  const figures: Figure[] = [];
  for (const [method, name, goal] of loads)
    figures.push(...(await compare({ mock, bare, method, name, goal })));
  return figures;
}

interface Comparison {
  readonly mock: ServerProcess;
  readonly bare: ServerProcess;
  readonly method: Method;
  readonly name: string;
  readonly goal: Goal;
}

async function compare({ mock, bare, method, name, goal }: Comparison): Promise<Figure[]> {
  const cpu: Record<'mock' | 'bare', number[]> = { mock: [], bare: [] };
  const rates = await runRounds(
    { mock: createLoad(mock, method, cpu.mock), bare: createLoad(bare, method, cpu.bare) },
    ROUNDS,
  );
  const [mockCost, bareCost] = [cpu.mock.slice(WARM_UP), cpu.bare.slice(WARM_UP)];
  return [
    createFigure(`HTTP ${name}: responses per second, mock / bare`, ratios(rates.mock, rates.bare), { goal }),
    createFigure(`HTTP ${name}: processor time of the server, mock / bare`, ratios(mockCost, bareCost)),
    createFigure(`HTTP ${name}: responses per second, mock`, rates.mock),
    createFigure(`HTTP ${name}: responses per second, bare`, rates.bare),
    createFigure(`HTTP ${name}: processor time of the mock`, mockCost, { unit: ' µs' }),
    createFigure(`HTTP ${name}: processor time of the bare server`, bareCost, { unit: ' µs' }),
  ];
}
