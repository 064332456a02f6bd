import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createMock, type MockOptions } from '@service/mock';
import { readHeap } from './account.ts';
import { createFigure, type Figure } from './figure.ts';
import { createOrders } from './orders.ts';

const KEYS = 200_000;
const MEBIBYTE = 2 ** 20;

/** The request of each key, and the limits of the mock. */
const variants: Readonly<Record<string, { readonly pays: boolean; readonly limits: MockOptions }>> = {
  'one GET with each key': { pays: false, limits: {} },
  'one payment with each key': { pays: true, limits: {} },
  'one payment with each key, at most 10 000 accounts': {
    pays: true,
    limits: { maxAccounts: 10_000, expireAccounts: '24h' },
  },
};

/** Measures the memory of a mock whose accounts are opened by keys, each variant in a separate process. */
export function measureAccounts(): Figure[] {
  return Object.keys(variants).flatMap((variant) => {
    const args = ['--expose-gc', '--max-old-space-size=8192', fileURLToPath(import.meta.url), variant];
    const { status, stdout } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`The variant "${variant}" could not be measured.`);
    const { heap, resident } = JSON.parse(stdout) as { heap: number; resident: number };
    const goal = variants[variant]?.pays === false && { goal: { atMost: 2_000 } };
    return [
      createFigure(`${KEYS} keys, ${variant}: heap per key`, [heap / KEYS], { unit: ' B', ...goal }),
      createFigure(`${KEYS} keys, ${variant}: resident memory`, [resident / MEBIBYTE], { unit: ' MiB' }),
    ];
  });
}

/** Sends a request with each key, and prints the memory of the process. */
async function useKeys({
  pays,
  limits,
}: {
  readonly pays: boolean;
  readonly limits: MockOptions;
}): Promise<void> {
  const mock = createMock({ ...limits, accounts: 'open', clock: 'manual', seed: 1, requestLog: 'off' });
  const before = await readHeap();
  const createOrder = createOrders(1);
  for (let key = 0; key < KEYS; key += 1) {
    const headers = { 'x-api-key': `service_test_key${key}`, 'content-type': 'application/json' };
    const response = await (pays
      ? mock.fetch(`${mock.baseUrl}/payments`, { method: 'POST', headers, body: createOrder() })
      : mock.fetch(`${mock.baseUrl}/balance`, { headers }));
    if (!response.ok) throw new Error(`Key ${key} got ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  const heap = (await readHeap()) - before;
  const resident = process.memoryUsage.rss();
  const stored = mock.sandbox.accounts.list().length; // a use of the mock, so that it is not collected before
  process.stdout.write(JSON.stringify({ heap, resident, stored }));
}

const asked = import.meta.main ? variants[process.argv[2] ?? ''] : undefined;
if (asked !== undefined) await useKeys(asked);
