// Measures @service/sdk against openapi-fetch alone, on the packages as they are built, and prints a markdown table.
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import createOpenapiClient from 'openapi-fetch';
import type { paths } from '@service/contract';
import { createClient } from '@service/sdk';
import { createFigure, type Figure, type Goal, toTable } from './figure.ts';
import { ratios, runRounds, type Subject } from './rounds.ts';
import { measureSizes } from './sdk-size.ts';

const apiKey = 'service_test_4f9c1d2e3b';
const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: 100 };
const order = { ...exchange, beneficiary_name: 'Acme Supplies Ltd' };
const answer = JSON.stringify({
  success: true,
  mode: 'test',
  data: {
    id: 'pay_test_0000014Kq8ZxWb2TnVd7Rm3s',
    status: 'pending',
    send_amount: 100,
    fee: 0.5,
    rate: 0.9213,
    receive_amount: 91.67,
    beneficiary: { name: 'Acme Supplies Ltd', bank: null, account: null, country: null },
    balances: [{ currency: 'USD', balance: 100 }],
  },
});
const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1' };

type Way = { readonly baseUrl: string; readonly fetch: (request: Request) => Promise<Response> };

/** Times calls one after another; returns microseconds a call. */
function timeCalls(calls: number, call: () => Promise<unknown>): Subject {
  return async () => {
    const start = performance.now();
    for (let count = 0; count < calls; count += 1) await call();
    return ((performance.now() - start) * 1_000) / calls;
  };
}

async function compare(
  name: string,
  way: Way,
  { calls, goal }: { calls: number; goal: Goal },
): Promise<Figure[]> {
  const bare = createOpenapiClient<paths>({ ...way, headers: { authorization: `Bearer ${apiKey}` } });
  const sdk = createClient({ apiKey, ...way });
  const pairs: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ['GET /balance', () => bare.GET('/balance'), () => sdk.balance.retrieve()],
    ['POST /quotes', () => bare.POST('/quotes', { body: exchange }), () => sdk.quotes.create(exchange)],
    ['POST /payments', () => bare.POST('/payments', { body: order }), () => sdk.payments.create(order)],
  ];
  const figures: Figure[] = [];
  for (const [operation, alone, ours] of pairs) {
    const times = await runRounds({ bare: timeCalls(calls, alone), sdk: timeCalls(calls, ours) }, 15);
    figures.push(
      createFigure(`${name} ${operation}: time, sdk / openapi-fetch`, ratios(times.sdk, times.bare), {
        goal,
      }),
      createFigure(`${name} ${operation}: time of a call, sdk`, times.sdk, { unit: ' µs' }),
      createFigure(`${name} ${operation}: time of a call, openapi-fetch`, times.bare, { unit: ' µs' }),
    );
  }
  return figures;
}

async function measureHttp(): Promise<Figure[]> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(answer));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const way = { baseUrl: `http://127.0.0.1:${port}/api/v1`, fetch: (request: Request) => fetch(request) };
  const figures = await compare('Loopback HTTP', way, { calls: 200, goal: { atMost: 1.1 } });
  server.closeAllConnections();
  server.close();
  return figures;
}

/** Times the import of a package in a fresh process; returns milliseconds. */
function timeImport(specifier: string): Subject {
  const script = `const start = performance.now(); await import(${JSON.stringify(specifier)}); process.stdout.write(String(performance.now() - start))`;
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  return async () =>
    Number(
      spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd }).stdout,
    );
}

async function measureImport(): Promise<Figure[]> {
  const times = await runRounds({ sdk: timeImport('@service/sdk'), bare: timeImport('openapi-fetch') }, 15);
  return [
    createFigure('Import: time, sdk / openapi-fetch', ratios(times.sdk, times.bare), { goal: { atMost: 2 } }),
    createFigure('Import: sdk', times.sdk, { unit: ' ms' }),
    createFigure('Import: openapi-fetch', times.bare, { unit: ' ms' }),
  ];
}

const inProcess = {
  baseUrl: 'http://localhost:4010/api/v1',
  fetch: async () => new Response(answer, { status: 200, headers }),
};
const figures = [
  ...(await compare('In process', inProcess, { calls: 2_000, goal: { atMost: 1.5 } })),
  ...(await measureHttp()),
  ...(await measureImport()),
  ...(await measureSizes()),
];
process.stdout.write(`Node ${process.version}\n\n${toTable(figures)}\n`);
