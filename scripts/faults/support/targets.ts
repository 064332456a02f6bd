import { setTimeout as sleep } from 'node:timers/promises';
import { createMock } from '@service/mock';
import { listen } from '@service/mock/node';
import { lastStatus } from '../../../test/services/fastify/ledger.ts';
import { startService } from '../../../test/services/fastify/service.ts';

/** A payment of the service, read without faults. */
export interface KnownPayment {
  readonly id: string;
  readonly beneficiary: string;
  readonly amount: number;
}

/** A service under test, with the faults that the scripts need. */
export interface Target {
  readonly name: string;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Drops the connection of the next create, before or after the payment is committed. */
  readonly dropNextCreate: (when: 'before' | 'after') => void;
  /** Makes reads of single payments fail with a status until `failReads(undefined)`. */
  readonly failReads: (status: number | undefined) => void;
  /** Waits until every payment is final and visible. */
  readonly waitUntilVisible: () => Promise<void>;
  readonly readPayments: () => Promise<readonly KnownPayment[]>;
  readonly stop: () => Promise<void>;
}

async function startFastify(listStyle: 'drf' | 'fastapi'): Promise<Target> {
  const service = await startService({ listStyle, readLag: 200, steps: [20, 30] });
  const { ledger, apiKey, baseUrl } = service;
  // An older deposit, because reconcile may confuse one immediately before a create with its debit.
  ledger.topUp('USD', 10_000_000_00, Date.now() - 86_400_000);
  return {
    name: `Fastify service with lists in ${listStyle} style`,
    apiKey,
    baseUrl,
    dropNextCreate: (when) => service.faults.inject('POST /api/v1/payments', `drop_${when}_commit`),
    failReads: (status) => {
      service.faults.clear();
      if (status !== undefined) service.faults.inject('GET /api/v1/payments/:id', status, Infinity);
    },
    waitUntilVisible: async () => {
      const isOpen = (status: string): boolean => status === 'pending' || status === 'processing';
      while (ledger.payments.some((row) => isOpen(lastStatus(row)))) await sleep(5);
      await sleep(service.readLag);
    },
    readPayments: async () =>
      ledger.payments.map((row) => ({
        id: row.id,
        beneficiary: row.beneficiary.name,
        amount: row.sendCents / 100,
      })),
    stop: () => service.stop(),
  };
}

async function startMock(): Promise<Target> {
  const mock = createMock();
  const server = await listen(mock, { port: 0 });
  const { testKey: apiKey } = mock.account;
  const { faults, wallets } = mock.sandbox;
  wallets.set({ currency: 'USD', amount: '10000000.00' });
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${server.baseUrl}${path}`, { headers: { 'x-api-key': apiKey } });
    return ((await response.json()) as { data: unknown }).data;
  };
  return {
    name: 'mock over HTTP',
    apiKey,
    baseUrl: server.baseUrl,
    dropNextCreate: (when) =>
      void faults.inject({ kind: `reset_${when}_commit`, operation: 'createPayment' }),
    failReads: (status) => {
      faults.clear();
      if (status !== undefined) {
        faults.inject({
          kind: 'status',
          status,
          operation: 'getPayment',
          times: 'unlimited',
          probability: 1,
        });
      }
    },
    waitUntilVisible: async () => {},
    readPayments: () => readMockPayments(get),
    stop: async () => {
      await server.close();
      await mock.close();
    },
  };
}

async function readMockPayments(get: (path: string) => Promise<unknown>): Promise<KnownPayment[]> {
  const ids = new Set<string>();
  for (let page = 1, isLast = false; !isLast; page += 1) {
    const list = (await get(`/transactions?per_page=100&page=${page}`)) as {
      transactions: { payment_id: string | null }[];
      pagination: { has_more: boolean };
    };
    for (const row of list.transactions) if (row.payment_id !== null) ids.add(row.payment_id);
    isLast = !list.pagination.has_more;
  }
  const payments: KnownPayment[] = [];
  for (const id of ids) {
    const payment = (await get(`/payments/${id}`)) as { beneficiary: { name: string }; send_amount: number };
    payments.push({ id, beneficiary: payment.beneficiary.name, amount: payment.send_amount });
  }
  return payments;
}

/** Runs a check against each service, and sets the exit code to 1 if a check fails. */
export async function runAgainstAll(check: (target: Target) => Promise<boolean>): Promise<void> {
  for (const start of [() => startFastify('drf'), () => startFastify('fastapi'), startMock]) {
    const target = await start();
    console.info(`\n${target.name}`);
    try {
      if (!(await check(target))) process.exitCode = 1;
    } finally {
      await target.stop();
    }
  }
}
