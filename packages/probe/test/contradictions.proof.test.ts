// Services that contradict themselves in the middle of a setting. None of these settings may be reported as found.
import type { ProfileChoice } from '@service/mock';
import { describe, expect, it } from 'vitest';
import {
  changeData,
  createError,
  type Exchange,
  probeService,
  type ServiceOptions,
} from './probe-service.ts';

type Intercept = NonNullable<ServiceOptions['intercept']>;
type Data = Record<string, unknown>;

/** Changes the data of some responses. */
const change =
  (is: (exchange: Exchange) => boolean, edit: (data: Data, exchange: Exchange) => Data): Intercept =>
  async (exchange) => {
    const response = await exchange.forward();
    return is(exchange) ? changeData(response, (data) => edit(data, exchange)) : response;
  };

const isQuote = ({ path, request }: Exchange): boolean => path === '/quotes' && request.method === 'POST';
const isCreate = ({ path, request }: Exchange): boolean => path === '/payments' && request.method === 'POST';
const isRead = ({ path }: Exchange): boolean => path.startsWith('/payments/pay_');
const isList = ({ path }: Exchange): boolean => path.startsWith('/transactions');
const amountOf = ({ body }: Exchange): number => Number(body.amount);
const rowsOf = (data: Data): Data[] => data.transactions as Data[];

/** Edits the quotes of some amounts. */
const quotes = (is: (amount: number, exchange: Exchange) => boolean, edit: (data: Data) => Data): Intercept =>
  change((exchange) => isQuote(exchange) && is(amountOf(exchange), exchange), edit);

/** Responds with another status to some requests that were accepted. */
const status =
  (is: (exchange: Exchange) => boolean, other: number): Intercept =>
  async (exchange) => {
    const response = await exchange.forward();
    return response.ok && is(exchange)
      ? new Response(await response.text(), { status: other, headers: response.headers })
      : response;
  };

/** Refuses some requests, or lets the mock respond. */
const refuse =
  (is: (exchange: Exchange) => boolean, code = 422): Intercept =>
  async (exchange) =>
    is(exchange) ? createError(code, 'validation_error') : exchange.forward();

/** Changes the balance of dollars by an amount that depends on the requests before. */
function shiftBalance(read: (exchange: Exchange, text: string) => number | undefined): Intercept {
  let shift = 0;
  return async (exchange) => {
    const response = await exchange.forward();
    shift = read(exchange, await response.clone().text()) ?? shift;
    if (exchange.path !== '/balance' || !response.ok) return response;
    return changeData(response, ({ balances }) => ({
      balances: (balances as Data[]).map((wallet) =>
        wallet.currency === 'USD'
          ? { ...wallet, balance: Number((Number(wallet.balance) + shift).toFixed(2)) }
          : wallet,
      ),
    }));
  };
}

/** Shows what comes back to a wallet, and its rows, later than the failure. */
function delayRefunds(milliseconds: number): Intercept {
  const failures = new Map<number, number>();
  return async (exchange) => {
    const { path, forward, mock } = exchange;
    const response = await forward();
    const now = mock.sandbox.clock.now().getTime();
    if (!response.ok || !(isList(exchange) || path === '/balance')) return response;
    const list = await mock.fetch(
      new Request(`${mock.baseUrl}/transactions?per_page=100&status=failed`, {
        headers: { authorization: `Bearer ${mock.account.testKey}` },
      }),
    );
    const refunds = rowsOf(((await list.json()) as { data: Data }).data);
    for (const { amount } of refunds) if (!failures.has(Number(amount))) failures.set(Number(amount), now);
    const late = [...failures].flatMap(([amount, at]) => (now - at < milliseconds ? [-amount] : []));
    return changeData(response, (data) =>
      isList(exchange)
        ? { ...data, transactions: rowsOf(data).filter((row) => !late.includes(Number(row.amount))) }
        : {
            balances: (data.balances as Data[]).map((wallet) =>
              wallet.currency === 'USD'
                ? {
                    ...wallet,
                    balance: Number(
                      late.reduce((rest, amount) => rest - amount, Number(wallet.balance)).toFixed(2),
                    ),
                  }
                : wallet,
            ),
          },
    );
  };
}

let requests = 0;
const retries = new Map<string, number>();

/** A contradiction of a setting, or of one of its fields. */
interface Contradiction extends ServiceOptions {
  readonly setting: string;
  readonly how: string;
}

const contradictions: readonly Contradiction[] = [
  {
    setting: 'successStatus.createQuote',
    how: '201 from euros only',
    intercept: status((one) => isQuote(one) && one.body.from_currency === 'EUR', 201),
  },
  {
    setting: 'absent',
    how: 'a read omits what the create shows as null',
    intercept: change(isRead, ({ purpose, ...data }) => (purpose === null ? data : { ...data, purpose })),
  },
  {
    setting: 'numbers',
    how: 'text in payments only',
    intercept: change(isCreate, (data) => ({ ...data, send_amount: String(data.send_amount) })),
  },
  {
    setting: 'numbers',
    how: 'rates as text in payments only',
    intercept: change(isCreate, (data) => ({ ...data, rate: String(data.rate) })),
  },
  {
    setting: 'timestamps',
    how: 'another zone in reads',
    intercept: change(isRead, (data) => ({
      ...data,
      created_at: String(data.created_at).replace('+00:00', 'Z'),
    })),
  },
  {
    setting: 'refusals.validation',
    how: '400 for an amount above the largest only',
    intercept: refuse(({ body }) => Number(body.amount) > 1e12, 400),
  },
  {
    setting: 'refusals.unknown_currency',
    how: '400 for an unknown source only',
    intercept: refuse(({ body }) => body.from_currency === 'QQQ', 400),
  },
  {
    setting: 'refusals.authentication',
    how: '403 for quotes only',
    intercept: async (one) =>
      (await one.forward()).status === 401 && isQuote(one) ? createError(403, 'forbidden') : one.forward(),
  },
  {
    setting: 'readLag.payments',
    how: 'a lag of every other payment',
    intercept: async (exchange) => {
      const { path, forward, mock } = exchange;
      if (!isRead(exchange)) return forward();
      const now = mock.sandbox.clock.now().getTime();
      if (!retries.has(path)) retries.set(path, now);
      const isLate = [...retries.keys()].indexOf(path) % 2 === 1 && now - (retries.get(path) ?? 0) < 900;
      return isLate ? createError(404, 'not_found') : forward();
    },
  },
  {
    setting: 'bothKeys',
    how: 'quotes accept the Bearer key',
    intercept: async (one) =>
      isQuote(one) &&
      one.request.headers.has('x-api-key') &&
      !one.request.headers.get('authorization')?.includes('unknown')
        ? Response.json({ success: true, mode: 'test', data: {} })
        : one.forward(),
  },
  {
    setting: 'paths.similar',
    how: 'one path with a slash is accepted',
    intercept: async (one) =>
      one.path === '/transactions/'
        ? Response.json({ success: true, mode: 'test', data: { transactions: [] } })
        : one.forward(),
  },
  {
    setting: 'paths.unknown',
    how: 'one unknown path is public',
    intercept: async (one) => (one.path === '/neither/this' ? createError(404, 'not_found') : one.forward()),
  },
  {
    setting: 'requestBody.unknownFields',
    how: 'refused in payments only',
    intercept: refuse((one) => isCreate(one) && 'no_such_field' in one.body),
  },
  {
    setting: 'requestBody.mediaTypes',
    how: 'text/plain only',
    intercept: async (one) =>
      one.request.headers.get('content-type') === 'text/plain' && isQuote(one)
        ? Response.json({ success: true, mode: 'test', data: {} })
        : one.forward(),
  },
  {
    setting: 'amounts.minimum',
    how: 'another minimum from euros',
    intercept: refuse((one) => isQuote(one) && one.body.from_currency === 'EUR' && amountOf(one) < 5),
  },
  {
    setting: 'amounts.maximum',
    how: 'another maximum from euros',
    intercept: refuse((one) => isQuote(one) && one.body.from_currency === 'EUR' && amountOf(one) > 50_000),
  },
  {
    setting: 'amounts.text',
    how: 'accepted above 15',
    profile: { amounts: { text: 'accept' } },
    intercept: refuse((one) => isQuote(one) && typeof one.body.amount === 'string' && amountOf(one) > 15),
  },
  {
    setting: 'amounts.precision',
    how: 'rounded, but for one amount',
    profile: { amounts: { precision: 'round' } },
    intercept: quotes(
      (amount) => amount === 23.456,
      (data) => ({ ...data, send_amount: 23.45 }),
    ),
  },
  {
    setting: 'amounts.precision',
    how: 'numbers are refused, text is cut',
    profile: { amounts: { text: 'accept' } },
    intercept: async (one) => {
      if (one.body.amount !== '10.009') return one.forward();
      const body = JSON.stringify({ ...one.body, amount: '10.00' });
      return one.mock.fetch(
        new Request(one.request.url, { method: 'POST', headers: one.request.headers, body }),
      );
    },
  },
  {
    setting: 'texts.limit',
    how: 'a shorter limit of purposes',
    intercept: refuse((one) => isCreate(one) && JSON.stringify(one.body.purpose ?? '').length > 102),
  },
  {
    setting: 'texts.empty',
    how: 'an empty purpose is refused, an empty bank is kept',
    profile: { texts: { empty: 'keep' } },
    intercept: refuse((one) => isCreate(one) && one.body.purpose === ''),
  },
  {
    setting: 'texts.number',
    how: 'a number as purpose is refused only',
    profile: { texts: { number: 'accept' } },
    intercept: refuse((one) => isCreate(one) && one.body.purpose === 5),
  },
  {
    setting: 'currencies.codes',
    how: 'a currency that can only be received',
    intercept: refuse((one) => isQuote(one) && one.body.from_currency === 'SEK'),
  },
  {
    setting: 'currencies.case',
    how: 'lower case accepted as the target only',
    profile: { currencies: { case: 'normalise' } },
    intercept: refuse((one) => isQuote(one) && one.body.from_currency === 'usd'),
  },
  {
    setting: 'currencies.case',
    how: 'lower case accepted by quotes only',
    profile: { currencies: { case: 'normalise' } },
    intercept: refuse((one) => isCreate(one) && /[a-z]/.test(String(one.body.to_currency))),
  },
  {
    setting: 'currencies.same',
    how: 'euros to euros refused',
    intercept: refuse(
      (one) => isQuote(one) && one.body.from_currency === 'EUR' && one.body.to_currency === 'EUR',
    ),
  },
  {
    setting: 'idempotency',
    how: 'keys of larger payments are ignored',
    intercept: async (one) => {
      if (!isCreate(one) || amountOf(one) < 20 || !one.request.headers.has('idempotency-key'))
        return one.forward();
      const headers = new Headers(one.request.headers);
      headers.delete('idempotency-key');
      return one.mock.fetch(
        new Request(one.request.url, { method: 'POST', headers, body: JSON.stringify(one.body) }),
      );
    },
  },
  {
    setting: 'idempotency',
    how: 'another purpose under a key is not noticed',
    intercept: async (one) => {
      if (!isCreate(one) || one.body.purpose !== 'Another purpose') return one.forward();
      const body = JSON.stringify({ ...one.body, purpose: 'Probe key' });
      return one.mock.fetch(
        new Request(one.request.url, { method: 'POST', headers: one.request.headers, body }),
      );
    },
  },
  {
    setting: 'minorUnits',
    how: 'decimals of one currency only',
    profile: { minorUnits: 'iso' },
    intercept: quotes(
      (_, { body }) => body.to_currency === 'KRW',
      (data) => ({ ...data, receive_amount: Number(data.receive_amount) + 0.25 }),
    ),
  },
  {
    setting: 'minorUnits',
    how: 'three decimals of one currency',
    profile: { minorUnits: 'iso' },
    intercept: quotes(
      (_, { body }) => body.to_currency === 'KWD',
      (data) => ({ ...data, receive_amount: Number(data.receive_amount) + 0.006 }),
    ),
  },
  {
    setting: 'numbers',
    how: 'text in one currency',
    intercept: quotes(
      (_, { body }) => body.to_currency === 'KWD',
      (data) => ({ ...data, receive_amount: String(data.receive_amount) }),
    ),
  },
  {
    setting: 'statuses.path',
    how: 'payments without an account are not processed, which rare reads do not show',
    profile: { events: ['completed', 'failed'] },
    intercept: async (one) => {
      if (!isRead(one)) return one.forward();
      await one.mock.sandbox.clock.advance('600ms');
      return changeData(await one.forward(), (data) => {
        const isPlain = (data.beneficiary as Data).account === null && data.status === 'processing';
        return isPlain ? { ...data, status: 'pending' } : data;
      });
    },
  },
  {
    setting: 'rounding',
    how: 'down from euros',
    intercept: quotes(
      (_, { body }) => body.from_currency === 'EUR',
      (data) => ({
        ...data,
        receive_amount:
          Math.floor((Number(data.send_amount) - Number(data.fee)) * Number(data.rate) * 100 + 1e-7) / 100,
      }),
    ),
  },
  {
    setting: 'fees',
    how: 'twice the fee above 1000',
    intercept: quotes(
      (amount) => amount > 1_000,
      (data) => ({ ...data, fee: Number((Number(data.fee) * 2).toFixed(2)) }),
    ),
  },
  {
    setting: 'fees',
    how: 'another fee from 2000 to 3000 only',
    intercept: quotes(
      (amount) => amount > 2_000 && amount < 3_000,
      (data) => ({ ...data, fee: 7 }),
    ),
  },
  {
    setting: 'fees',
    how: 'a fee of one pair of currencies',
    intercept: quotes(
      (_, { body }) => body.from_currency === 'EUR',
      (data) => ({ ...data, fee: 1 }),
    ),
  },
  {
    setting: 'rates',
    how: 'a better rate for small amounts',
    intercept: quotes(
      (amount) => amount < 50,
      (data) => ({ ...data, rate: Number(data.rate) * 1.01 }),
    ),
  },
  {
    setting: 'wallets',
    how: 'a balance that moves before the first payment',
    intercept: shiftBalance(({ path }) => (path === '/balance' ? (requests += 1) % 3 : undefined)),
  },
  {
    setting: 'debitAt.status',
    how: 'a later debit of one payment',
    intercept: shiftBalance((exchange, text) => {
      if (isCreate(exchange) && amountOf(exchange) === 10.02) return 10.02;
      return isRead(exchange) && text.includes('10.02') && text.includes('"processing"') ? 0 : undefined;
    }),
  },
  {
    setting: 'debitAt.hold',
    how: 'funds that are reserved once',
    profile: { debitAt: 'processing' },
    intercept: async (one) =>
      isCreate(one) &&
      one.body.beneficiary_account === 'SIM-FAIL' &&
      amountOf(one) > 50_000 &&
      (requests += 1) % 2 === 0
        ? Response.json(
            {
              success: true,
              mode: 'test',
              data: { id: `pay_test_${String(requests).padStart(24, '0')}`, status: 'pending' },
            },
            { status: 201 },
          )
        : one.forward(),
  },
  {
    setting: 'refund.failed',
    how: 'no refund of one payment',
    intercept: shiftBalance((exchange, text) =>
      isRead(exchange) && text.includes('10.04') && text.includes('"failed"') ? -10.04 : undefined,
    ),
  },
  {
    setting: 'refund.returned',
    how: 'no refund of one returned payment',
    intercept: shiftBalance((exchange, text) =>
      isRead(exchange) && text.includes('10.32') && text.includes('"failed"') ? -10.32 : undefined,
    ),
  },
  {
    setting: 'statuses.path',
    how: 'large payments are reviewed',
    intercept: change(isRead, (data) =>
      Number(data.send_amount) > 1_000 && data.status === 'processing'
        ? { ...data, status: 'in_review' }
        : data,
    ),
  },
  {
    setting: 'statuses.pending',
    how: 'times that differ',
    profile: { statuses: { pending: ['500ms', '4s'] } },
  },
  {
    setting: 'outcomes',
    how: 'one of two payments to the account fails',
    options: { failing: ['FAIL-ME'] },
    profile: { outcomes: [{ account: 'FAIL-ME', amount: '*.04', outcome: 'fail' }] },
  },
  {
    setting: 'rows',
    how: 'another type of large payments',
    intercept: change(isList, (data) => ({
      ...data,
      transactions: rowsOf(data).map((row) =>
        Number(row.amount) < -1_000 ? { ...row, type: 'large_payment' } : row,
      ),
    })),
  },
  {
    setting: 'rows',
    how: 'a note that nothing explains',
    intercept: change(isList, (data) => ({
      ...data,
      transactions: rowsOf(data).map((row) => ({ ...row, note: `N${String(row.id).slice(-4)}x` })),
    })),
  },
  {
    setting: 'rows',
    how: 'a second row of large payments',
    intercept: change(isList, (data) => ({
      ...data,
      transactions: rowsOf(data).flatMap((row) =>
        Number(row.amount) < -1_000 ? [row, { ...row, id: `${String(row.id)}b` }] : [row],
      ),
    })),
  },
  {
    setting: 'rows',
    how: 'a word of a status that differs for large payments',
    intercept: change(isList, (data) => ({
      ...data,
      transactions: rowsOf(data).map((row) => ({
        ...row,
        status: Number(row.amount) < -1_000 ? 'BOOKED' : String(row.status).toUpperCase(),
      })),
    })),
  },
  {
    setting: 'rows',
    how: 'another text where there is no purpose',
    intercept: change(isList, (data) => ({
      ...data,
      transactions: rowsOf(data).map((row) => ({
        ...row,
        reference: row.reference ?? `to ${String(row.amount)}`,
      })),
    })),
  },
  {
    setting: 'pagination',
    how: 'a total that differs between sizes of pages',
    intercept: change(
      ({ path }) => path.includes('per_page=5'),
      (data) => ({ ...data, pagination: { ...(data.pagination as Data), total: 999 } }),
    ),
  },
  {
    setting: 'listQuery.page',
    how: 'page 0 is accepted',
    intercept: async (one) =>
      one.path === '/transactions?page=0'
        ? one.mock.fetch(new Request(one.request.url.replace('page=0', 'page=1'), one.request))
        : one.forward(),
  },
  {
    setting: 'listQuery.pastEnd',
    how: 'pages far behind the end are refused',
    intercept: refuse(({ path }) => path.includes('page=9999'), 404),
  },
  {
    setting: 'listQuery.filter',
    how: 'an unknown type is ignored',
    intercept: async (one) =>
      one.path.includes('type=no_such_type')
        ? one.mock.fetch(new Request(one.request.url.split('?')[0] as string, one.request))
        : one.forward(),
  },
  {
    setting: 'events',
    how: 'no event of one payment',
    deliver: async (delivery, receive) =>
      (await delivery.clone().text()).includes('10.02')
        ? new Response(null, { status: 200 })
        : receive(delivery),
  },
  {
    setting: 'headers',
    how: 'a header that is constant in the first responses',
    intercept: async ({ forward }) => {
      const response = await forward();
      requests += 1;
      response.headers.set('x-version', requests < 30 ? '1' : '2');
      return response;
    },
  },
  {
    setting: 'rateLimit',
    how: 'a limit of quotes only',
    intercept: refuse((one) => isQuote(one) && (requests += 1) % 40 === 0, 429),
  },
  {
    setting: 'retryAfter',
    how: 'seconds, then a date',
    intercept: async (one) => {
      const date = (requests += 1) % 2 === 0 ? '1' : new Date(0).toUTCString();
      return requests % 41 === 0 ? createError(429, 'rate', { 'retry-after': date }) : one.forward();
    },
  },
  {
    setting: 'ack',
    how: '204 acknowledges some webhooks',
    deliver: async (delivery, receive) => {
      const response = await receive(delivery);
      return (requests += 1) % 2 === 0 ? new Response(null, { status: 204 }) : response;
    },
  },
  {
    setting: 'retrySchedule',
    how: 'other delays of one payment',
    profile: { retrySchedule: ['1s', '2s'] },
    deliver: async (delivery, receive) => {
      const text = await delivery.clone().text();
      const count = (retries.get(text) ?? 0) + 1;
      retries.set(text, count);
      // The second attempt of one payment is lost.
      return count === 2 && text.includes('10.16') ? new Response(null, { status: 500 }) : receive(delivery);
    },
  },
  {
    setting: 'deliveryFaults',
    how: 'webhooks that come twice by chance',
    profile: { deliveryFaults: { duplicates: 0.3 } },
  },
];

const statusTimes = new Map<string, Map<unknown, number>>();

const lateReads = { payments: '900ms', balance: '900ms', transactions: '900ms' } as const;

/** Services that treat one place in another way than those that are easiest to ask. */
const otherPlaces: readonly Contradiction[] = [
  {
    setting: 'currencies.codes',
    how: 'payments refuse a target that quotes accept',
    intercept: refuse((one) => isCreate(one) && one.body.to_currency === 'SEK'),
  },
  {
    setting: 'rates',
    how: 'pairs without dollars do not follow from those with dollars',
    intercept: quotes(
      (_, { body }) => body.from_currency !== 'USD' && body.to_currency !== 'USD',
      (data) => ({ ...data, rate: Number((Number(data.rate) * 0.98).toFixed(6)) }),
    ),
  },
  {
    setting: 'bothKeys',
    how: 'payments refuse two keys',
    intercept: refuse(
      (one) =>
        isCreate(one) &&
        one.request.headers.has('x-api-key') &&
        one.request.headers.get('x-api-key')?.includes('unknown') === true,
      401,
    ),
    profile: { bothKeys: 'bearer' },
  },
  {
    setting: 'events',
    how: 'no payment was processing',
    profile: { statuses: 'skip' },
  },
  {
    setting: 'texts.number',
    how: 'accounts can be numbers',
    intercept: async (one) =>
      isCreate(one) && typeof one.body.beneficiary_account === 'number'
        ? one.mock.fetch(
            new Request(one.request.url, {
              method: 'POST',
              headers: one.request.headers,
              body: JSON.stringify({
                ...one.body,
                beneficiary_account: String(one.body.beneficiary_account),
              }),
            }),
          )
        : one.forward(),
  },
  {
    setting: 'requestBody.mediaTypes',
    how: 'no media type is accepted',
    intercept: async (one) =>
      one.request.method === 'POST' && !one.request.headers.has('content-type')
        ? one.mock.fetch(
            new Request(one.request.url, {
              method: 'POST',
              headers: { ...Object.fromEntries(one.request.headers), 'content-type': 'application/json' },
              body: JSON.stringify(one.body),
            }),
          )
        : one.forward(),
  },
  {
    setting: 'pagination',
    how: 'an empty list has one page',
    profile: { listQuery: { filter: 'empty' } },
    intercept: change(isList, (data) => {
      const pagination = data.pagination as Data;
      return pagination.total_pages === 0 ? { ...data, pagination: { ...pagination, total_pages: 1 } } : data;
    }),
  },
  {
    setting: 'readLag.payments',
    how: 'a new payment is shown at once, and its statuses late',
    intercept: async (exchange) => {
      const { forward, mock } = exchange;
      const response = await forward();
      if (!isRead(exchange) || !response.ok) return response;
      const now = mock.sandbox.clock.now().getTime();
      return changeData(response, (data) => {
        const times = statusTimes.get(String(data.id)) ?? new Map<unknown, number>();
        statusTimes.set(String(data.id), times.set(data.status, times.get(data.status) ?? now));
        const shown = [...times].findLast(([, at]) => now - at >= 1_200);
        return { ...data, status: shown?.[0] ?? 'pending' };
      });
    },
  },
  {
    setting: 'successStatus.createPayment',
    how: '202 for a payment without an exchange',
    intercept: status((one) => isCreate(one) && one.body.to_currency === one.body.from_currency, 202),
  },
  {
    setting: 'requestBody.mediaTypes',
    how: 'a form is no JSON',
    intercept: refuse((one) => one.request.headers.get('content-type')?.includes('form') === true),
    profile: { requestBody: { mediaTypes: 'any' } },
  },
  {
    setting: 'events',
    how: 'no event of a large payment that is processed',
    deliver: async (delivery, receive) =>
      /"payment\.processing".*"send_amount":\d{5}/.test(await delivery.clone().text())
        ? new Response(null, { status: 200 })
        : receive(delivery),
  },
  {
    setting: 'outcomes',
    how: 'one payment to an account fails',
    options: { failing: ['ACCOUNT-A', 'ACCOUNT-B'] },
    profile: { outcomes: [{ account: 'ACCOUNT-B', amount: '11.28', outcome: 'fail' }] },
  },
  {
    setting: 'readLag.balance',
    how: 'refunds come later than the failure',
    profile: { readLag: lateReads },
    intercept: delayRefunds(1_500),
  },
  {
    setting: 'timestamps',
    how: 'another zone in reads of completed payments',
    intercept: change(isRead, (data) =>
      data.status === 'completed'
        ? { ...data, created_at: String(data.created_at).replace('+00:00', 'Z') }
        : data,
    ),
  },
  {
    setting: 'amounts.minimum',
    how: 'another minimum of payments',
    intercept: refuse((one) => isCreate(one) && amountOf(one) < 1),
  },
  {
    setting: 'amounts.minimum',
    how: 'another minimum of payments, in a currency of which nothing arrives',
    profile: { rounding: 'down' },
    intercept: refuse((one) => isCreate(one) && amountOf(one) < 1),
  },
  {
    setting: 'amounts.maximum',
    how: 'another maximum of payments',
    intercept: refuse((one) => isCreate(one) && amountOf(one) > 250_000),
  },
  {
    setting: 'listQuery.order',
    how: 'the oldest first with a filter',
    intercept: change(
      ({ path }) => /[?&](?:status|type)=/.test(path),
      (data) => ({ ...data, transactions: rowsOf(data).toReversed() }),
    ),
  },
  {
    setting: 'refund.failed',
    how: 'less of a large payment',
    intercept: shiftBalance((exchange, text) =>
      isRead(exchange) && text.includes('"send_amount":6000') && text.includes('"failed"') ? -10 : undefined,
    ),
  },
  {
    setting: 'refund.failed',
    how: 'an odd part, before reads show the failure',
    profile: { readLag: { payments: '700ms' } },
    intercept: shiftBalance(({ mock }) => {
      const failed = mock.sandbox.webhooks.deliveries().filter(({ event }) => event === 'payment.failed');
      return failed.length === 0 ? undefined : -0.05 * failed.length;
    }),
  },
];

describe('a service that contradicts itself', () => {
  it.each([...contradictions, ...otherPlaces].map((one) => [one.setting, one.how, one] as const))(
    'is not reported as found: %s, %s',
    async (name, _, service) => {
      requests = 0;
      retries.clear();
      const { find } = await probeService({ ...service, profile: service.profile as ProfileChoice });
      const [setting = '', part] = name.split('.');
      const finding = find(setting);
      const proven = finding && 'proven' in finding ? (finding.proven ?? []) : [];
      const isFound =
        part === undefined
          ? finding?.state === 'found'
          : finding?.state === 'found'
            ? proven.includes(part)
            : proven.includes(part);
      const value = finding && 'value' in finding ? finding.value : undefined;
      expect([isFound, isFound ? value : undefined]).toEqual([false, undefined]);
    },
  );

  it('has a case for each setting', async () => {
    const { findings } = await probeService({ options: { payments: false } });
    const named = new Set(contradictions.map(({ setting }) => setting.split('.')[0]));
    expect(findings.map(({ setting }) => setting).filter((setting) => !named.has(setting))).toEqual([]);
  });
});
