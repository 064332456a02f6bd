import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Payment, Transaction, Wallet } from '@service/contract';
import type { Mock } from '@service/mock';
import { type Caller, createCaller, createStillMock } from './support.ts';
import { runs } from '../../../test/support/runs.ts';

// Invariants of docs/contract.md#money, checked through the service and its events, over random histories.

const currencies = ['USD', 'EUR', 'JPY', 'KWD'] as const;
const accounts = [
  'SIM-FAIL',
  'SIM-FAIL-EARLY',
  'SIM-RETURN',
  'SIM-STUCK',
  'SIM-PENDING',
  'SIM-INSTANT',
  'DE89',
] as const;
const moves = ['advance', 'complete', 'fail', 'return'] as const;

type Command =
  | {
      kind: 'create';
      mode: 'test' | 'live';
      from: string;
      to: string;
      cents: number;
      account: string;
      key: number | null;
    }
  | { kind: 'move'; nth: number; move: (typeof moves)[number] }
  | { kind: 'wait'; seconds: number }
  | { kind: 'credit'; mode: 'test' | 'live'; currency: string; cents: number }
  | { kind: 'set'; currency: string; cents: number };

const cents = fc.integer({ min: 1, max: 60_000 });
const currency = fc.constantFrom(...currencies);
const mode = fc.constantFrom('test' as const, 'live' as const);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      mode,
      from: currency,
      to: currency,
      cents,
      account: fc.constantFrom(...accounts),
      key: fc.option(fc.nat(3)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      nth: fc.nat(20),
      move: fc.constantFrom(...moves),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 0, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('credit' as const), mode, currency, cents }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), currency, cents }) },
);

/** The hundredths of an amount in a response; exact, because its decimal text is. */
function hundredths(amount: number): bigint {
  const [whole = '0', fraction = ''] = Math.abs(amount).toFixed(2).split('.');
  return BigInt(whole + fraction) * (amount < 0 ? -1n : 1n);
}

class MockState {
  readonly mock: Mock;
  readonly callers: Record<'test' | 'live', Caller>;
  readonly events: { id: string; status: string }[] = [];
  readonly made: { id: string; mode: 'test' | 'live' }[] = [];

  constructor() {
    const fetch = async (request: Request): Promise<Response> => {
      const { data } = (await request.json()) as { data: { id: string; status: string } };
      this.events.push({ id: data.id, status: data.status });
      return new Response();
    };
    const { mock } = createStillMock({ fetch });
    this.mock = mock;
    const account = mock.sandbox.accounts.create({ balances: { USD: 500, EUR: 200, JPY: 300 } });
    this.callers = { test: createCaller(mock, account.testKey), live: createCaller(mock, account.liveKey) };
    for (const each of ['test', 'live'] as const) {
      mock.sandbox.webhooks.setEndpoint({ account, mode: each, url: 'http://localhost:9/hooks' });
    }
    this.account = account;
  }

  readonly account: { id: string };

  async run(step: Command): Promise<void> {
    const { sandbox } = this.mock;
    if (step.kind === 'create') return this.create(step);
    if (step.kind === 'wait') return void (await sandbox.clock.advance(step.seconds * 1000));
    if (step.kind === 'move') return this.move(step);
    const amount = `${Math.floor(step.cents / 100)}.${String(step.cents % 100).padStart(2, '0')}`;
    const target = { account: this.account, currency: step.currency, amount };
    if (step.kind === 'credit') sandbox.wallets.credit({ ...target, mode: step.mode });
    else sandbox.wallets.set(target);
  }

  private async create({
    mode: inMode,
    from,
    to,
    cents: value,
    account,
    key,
  }: Command & { kind: 'create' }): Promise<void> {
    const body = `{"from_currency":"${from}","to_currency":"${to}","amount":${value}e-2,"beneficiary_name":"A","beneficiary_account":"${account}"}`;
    const before = await this.mock.sandbox.stateHash();
    const answer = await this.callers[inMode].post(
      '/payments',
      body,
      key === null ? {} : { 'idempotency-key': `k${key}` },
    );
    if (answer.status >= 400) expect(await this.mock.sandbox.stateHash()).toBe(before);
    const { id } = (answer.body.data ?? {}) as { id?: string };
    if (id !== undefined && !this.made.some((payment) => payment.id === id))
      this.made.push({ id, mode: inMode });
  }

  private async move({ nth, move }: Command & { kind: 'move' }): Promise<void> {
    const target = this.made[nth % Math.max(1, this.made.length)];
    if (target === undefined) return;
    const before = await this.mock.sandbox.stateHash();
    try {
      this.mock.sandbox.payments[move](target.id);
    } catch (error) {
      expect(error).toMatchObject({ name: 'SandboxError', code: 'invalid_state' });
      expect(await this.mock.sandbox.stateHash()).toBe(before);
    }
  }
}

async function readAll(caller: Caller): Promise<{ wallets: Wallet[]; rows: Transaction[] }> {
  const wallets = ((await caller.get('/balance')).body.data as unknown as { balances: Wallet[] }).balances;
  const rows: Transaction[] = [];
  for (let page = 1, more = true; more; page += 1) {
    const { data } = (await caller.get(`/transactions?per_page=100&page=${page}`)).body;
    const { transactions, pagination } = data as unknown as {
      transactions: Transaction[];
      pagination: { has_more: boolean };
    };
    rows.push(...transactions);
    more = pagination.has_more;
  }
  return { wallets, rows: rows.toReversed() };
}

function checkWallets(wallets: Wallet[], rows: Transaction[]): void {
  const sums = new Map(wallets.map(({ currency: code }) => [code, 0n]));
  for (const row of rows) {
    const sum = (sums.get(row.currency) ?? 0n) + hundredths(row.amount);
    expect(sum).toBe(hundredths(row.balance_after));
    expect(sum).toBeGreaterThanOrEqual(0n);
    sums.set(row.currency, sum);
  }
  expect(Object.fromEntries(sums)).toEqual(
    Object.fromEntries(wallets.map(({ currency: code, balance }) => [code, hundredths(balance)])),
  );
}

function checkPaymentRows(payment: Payment, rows: Transaction[]): void {
  const own = rows.filter((row) => row.payment_id === payment.id);
  const debit = {
    type: 'payment',
    status: payment.status,
    amount: -payment.send_amount,
    currency: payment.from_currency,
  };
  const refund = {
    type: 'refund',
    status: 'completed',
    amount: payment.send_amount,
    currency: payment.from_currency,
  };
  const wanted = payment.status === 'failed' ? [debit, refund] : [debit];
  expect(
    own.map(({ type, status, amount, currency: code }) => ({ type, status, amount, currency: code })),
  ).toEqual(wanted);
}

const histories = [
  ['pending'],
  ['pending', 'processing'],
  ['pending', 'processing', 'completed'],
  ['pending', 'processing', 'failed'],
  ['pending', 'failed'],
  ['pending', 'processing', 'completed', 'failed'],
];

describe('money in the mock', () => {
  it('the ledger is correct after any history of creates, transitions, failures and time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 30 }), async (commands) => {
        const state = new MockState();
        for (const step of commands) await state.run(step);
        await state.mock.sandbox.idle();
        for (const inMode of ['test', 'live'] as const) {
          const caller = state.callers[inMode];
          const { wallets, rows } = await readAll(caller);
          checkWallets(wallets, rows);
          const made = state.made.filter((payment) => payment.mode === inMode);
          expect(rows.filter((row) => row.type === 'payment')).toHaveLength(made.length);
          for (const { id } of made) {
            const payment = (await caller.get(`/payments/${id}`)).body.data as unknown as Payment;
            checkPaymentRows(payment, rows);
            const history = state.events.filter((event) => event.id === id).map(({ status }) => status);
            expect(histories).toContainEqual(history);
            expect(history.at(-1)).toBe(payment.status);
          }
        }
        await state.mock.close();
      }),
      { numRuns: runs(50) },
    );
  });

  it('a quote never pays out less for a larger amount, and has at most 2 decimals', async () => {
    const { post } = createStillMock();
    const quote = async (
      from: string,
      to: string,
      value: number,
    ): Promise<{ fee: number; receive_amount: number }> =>
      (await post('/quotes', `{"from_currency":"${from}","to_currency":"${to}","amount":${value}e-2}`)).body
        .data as never;
    await fc.assert(
      fc.asyncProperty(
        currency,
        currency,
        fc.integer({ min: 1, max: 99_999_999_998 }),
        async (from, to, value) => {
          const [less, more] = [await quote(from, to, value), await quote(from, to, value + 1)];
          expect(hundredths(more.receive_amount)).toBeGreaterThanOrEqual(hundredths(less.receive_amount));
          expect(String(less.fee)).toMatch(/^\d+(\.\d{1,2})?$/);
          expect(String(less.receive_amount)).toMatch(/^\d+(\.\d{1,2})?$/);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
