import { findRows, type Observation, observeHeaders, observeValue, parseJson } from './observation.ts';
import {
  findPaymentId,
  REFUSED_AMOUNT,
  type RequestOptions,
  type Session,
  type TestAccounts,
} from './session.ts';

/** One call, or a few that belong together. */
export interface JudgeCall {
  readonly name: string;
  /** Whether the call waits for payments or webhooks. */
  readonly isSlow?: boolean;
  /** Account that the service must have for the call. */
  readonly account?: keyof TestAccounts;
  readonly run: (session: Session) => Promise<Observation>;
}

const JUDGE = 'JUDGE';
const labels = {
  full: `${JUDGE} full`,
  minimal: `${JUDGE} minimal`,
  euro: `${JUDGE} euro`,
  large: `${JUDGE} large`,
  failing: `${JUDGE} failing`,
  returning: 'returning',
  refused: `${JUDGE} refused`,
  repeated: `${JUDGE} repeated`,
};
const SMALL_PAYMENTS = 16;

const call = (name: string, method: string, path: string, options?: RequestOptions): JudgeCall => ({
  name,
  run: (session) => session.call(method, path, options),
});

/** A call that waits for payments or webhooks. */
const slow = (name: string, run: JudgeCall['run']): JudgeCall => ({ name, isSlow: true, run });

const quote = (from_currency: string, to_currency: string, amount: unknown, rest = {}): JudgeCall =>
  call(`quote ${from_currency} to ${to_currency}, amount ${JSON.stringify(amount)}`, 'POST', '/quotes', {
    body: { from_currency, to_currency, amount, ...rest },
  });

const named = (name: string, { run }: JudgeCall): JudgeCall => ({ name, run });

const quotes: readonly JudgeCall[] = [
  quote('USD', 'EUR', 100),
  quote('USD', 'GBP', 250.5),
  quote('EUR', 'USD', 1_000),
  quote('GBP', 'EUR', 33.33),
  quote('USD', 'EUR', 12_345.67),
  quote('USD', 'EUR', 0.01),
  quote('USD', 'JPY', 100),
  quote('USD', 'USD', 10),
  quote('usd', 'eur', 10),
  quote('USD', 'XXX', 10),
  quote('USD', 'EURO', 10),
  quote('USD', 'EUR', 0),
  quote('USD', 'EUR', -5),
  quote('USD', 'EUR', 10.005),
  quote('USD', 'EUR', '10.00'),
  quote('USD', 'EUR', 'ten'),
  quote('USD', 'EUR', null),
  named('quote with an unknown field', quote('USD', 'EUR', 10, { note: 'x' })),
  call('quote with an empty object', 'POST', '/quotes', { body: {} }),
  call('quote with an array', 'POST', '/quotes', { text: '[1]' }),
  call('quote with malformed JSON', 'POST', '/quotes', { text: '{"from_currency":' }),
  call('quote as text/plain', 'POST', '/quotes', {
    text: '{"from_currency":"USD","to_currency":"EUR","amount":10}',
    headers: { 'content-type': 'text/plain' },
  }),
];

const wrongKey = { authorization: 'Bearer service_test_wrong_0123456789abcdef' };

const access: readonly JudgeCall[] = [
  call('balance without a key', 'GET', '/balance', { authorization: {} }),
  call('balance with a wrong key', 'GET', '/balance', { authorization: wrongKey }),
  {
    name: 'balance with X-API-Key',
    run: (session) =>
      session.call('GET', '/balance', { authorization: { 'x-api-key': session.target.apiKey } }),
  },
  {
    name: 'quote with a wrong Bearer key and a valid X-API-Key',
    run: (session) =>
      session.call('POST', '/quotes', {
        body: { from_currency: 'USD', to_currency: 'EUR', amount: 10 },
        authorization: { ...wrongKey, 'x-api-key': session.target.apiKey },
      }),
  },
  call('quote with a wrong key and malformed JSON', 'POST', '/quotes', {
    text: '{',
    authorization: wrongKey,
  }),
  call('unknown path', 'GET', '/invoices'),
  call('unknown path with a wrong key', 'GET', '/invoices', { authorization: wrongKey }),
  call('quotes with GET', 'GET', '/quotes'),
  call('payments with DELETE', 'DELETE', '/payments'),
  call('balance with a trailing slash', 'GET', '/balance/'),
  call('unknown payment', 'GET', '/payments/pay_test_0123456789abcdefghijklmn'),
  call('malformed payment id', 'GET', '/payments/x'),
  {
    name: 'payment of another account',
    run: (session) => session.call('GET', `/payments/${session.target.foreignPayment}`),
  },
];

const order = { from_currency: 'USD', to_currency: 'EUR', amount: 10, beneficiary_name: 'Alder Ltd' };
const rejected = (name: string, changes: object): JudgeCall =>
  call(name, 'POST', '/payments', { body: { ...order, ...changes } });

const rejections: readonly JudgeCall[] = [
  rejected('payment without a beneficiary', { beneficiary_name: undefined }),
  rejected('payment with a number as beneficiary', { beneficiary_name: 5 }),
  rejected('payment with an empty beneficiary', { beneficiary_name: '' }),
  rejected('payment of 0', { amount: 0 }),
  rejected('payment to an unknown currency', { to_currency: 'XXX' }),
  rejected('payment with many errors', { from_currency: 1, amount: 'x', beneficiary_name: null }),
  call('payment with malformed JSON', 'POST', '/payments', { text: '{"amount": 1,}' }),
  {
    name: 'payment above the balance',
    run: async (session) => {
      const amount = Math.ceil(((await session.readBalances()).get('USD') ?? 0) / 100) + 1_000;
      return session.call('POST', '/payments', { body: { ...order, amount } });
    },
  },
];

/** Returns the changes of all balances in hundredths. */
function subtract(after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Observation {
  const changes = [...after].map(([currency, value]) => [currency, value - (before.get(currency) ?? 0)]);
  return Object.fromEntries(changes) as Observation;
}

/** Creates a payment, reads it at once, and follows it with the balances to its end. */
function follow(name: string, label: string, fields: (session: Session) => object): readonly JudgeCall[] {
  const readChanges = async (session: Session): Promise<Observation> =>
    subtract(await session.readBalances(), session.balancesBefore.get(label) ?? new Map());
  return [
    {
      name: `${name}: create`,
      run: async (session) => {
        session.balancesBefore.set(label, await session.readBalances());
        return session.observe(await session.pay(label, fields(session)));
      },
    },
    {
      name: `${name}: read and balances at once`,
      run: async (session) => ({
        payment: await session.call('GET', `/payments/${session.payments.get(label)}`),
        balances: await readChanges(session),
      }),
    },
    slow(`${name}: end`, async (session) => {
      const { statuses, last } = await session.watch(label);
      return { statuses, payment: last ? session.observe(last) : null };
    }),
    slow(`${name}: balances at the end`, readChanges),
  ];
}

const create = (name: string, label: string, fields: object): JudgeCall => ({
  name,
  run: async (session) => session.observe(await session.pay(label, fields)),
});

const payments: readonly JudgeCall[] = [
  ...follow('payment', labels.full, () => ({
    amount: 100,
    beneficiary_bank: 'First Bank',
    beneficiary_account: 'DE89370400440532013012',
    beneficiary_country: 'DE',
  })),
  ...follow('failing payment', labels.failing, ({ accounts }) => ({
    amount: 60,
    from_currency: 'GBP',
    beneficiary_account: accounts.failing,
  })),
  ...follow('payment of 4000', labels.large, () => ({
    amount: 4_000,
    from_currency: 'EUR',
    to_currency: 'USD',
  })),
  create('payment to another currency', labels.minimal, { amount: 40.4, to_currency: 'GBP' }),
  create('payment from another wallet', labels.euro, {
    amount: 25.55,
    from_currency: 'EUR',
    to_currency: 'GBP',
  }),
  create('payment with text as amount', `${JUDGE} text`, { amount: '12.50' }),
  create('payment with an empty purpose', `${JUDGE} empty`, { amount: 5, purpose: '' }),
  create('payment with a purpose of 200 characters', `${JUDGE} long`, {
    amount: 5,
    purpose: 'P'.repeat(200),
  }),
  create('payment with a precise amount', `${JUDGE} precise`, { amount: 10.005 }),
  {
    name: 'payment repeated with its idempotency key',
    run: async (session) => {
      const headers = { 'idempotency-key': 'judge-repeated-0001' };
      const first = await session.pay(labels.repeated, { amount: 11 }, headers);
      const second = await session.pay(labels.repeated, { amount: 11 }, headers);
      return { response: session.observe(second), isSame: findPaymentId(first) === findPaymentId(second) };
    },
  },
  {
    name: 'idempotency key with another request',
    run: async (session) => {
      const headers = { 'idempotency-key': 'judge-repeated-0001' };
      const body = { ...order, amount: 12, purpose: `${JUDGE} other` };
      const response = await session.send('POST', '/payments', { body, headers });
      const isSame = findPaymentId(response) === session.payments.get(labels.repeated);
      return { response: session.observe(response), isSame };
    },
  },
];

const special: readonly JudgeCall[] = [
  slow('two payments of 60 % of a wallet', async (session) => {
    const cents = (await session.readBalances()).get('GBP') ?? 0;
    const amount = Math.floor(cents * 0.6) / 100;
    const fields = { from_currency: 'GBP', amount };
    const created = [];
    for (const label of ['first half', 'second half']) created.push(await session.pay(label, fields));
    const ends = [];
    for (const label of ['first half', 'second half'])
      ends.push((await session.watch(label)).statuses.at(-1)!);
    return { statuses: created.map(({ status }) => status), ends };
  }),
  {
    name: 'payment that is returned',
    isSlow: true,
    account: 'returning',
    run: async (session) => {
      await session.pay(labels.returning, { amount: 30, beneficiary_account: session.accounts.returning });
      return (await session.watch(labels.returning)).statuses;
    },
  },
  {
    name: 'payment during an outage',
    account: 'unavailable',
    run: async (session) => {
      const body = { ...order, beneficiary_account: session.accounts.unavailable };
      return session.call('POST', '/payments', { body });
    },
  },
  slow('small payments', async (session) => {
    const names = Array.from({ length: SMALL_PAYMENTS }, (_, index) => `${JUDGE} small ${index}`);
    const statuses = [];
    for (const label of names) statuses.push((await session.pay(label, { amount: 2 })).status);
    statuses.push((await session.pay(labels.refused, { amount: REFUSED_AMOUNT })).status);
    const ends = [];
    for (const label of [...names, labels.refused]) ends.push((await session.watch(label)).statuses.at(-1)!);
    return { statuses: [...new Set(statuses)], ends: [...new Set(ends)] };
  }),
];

const list = (name: string, query: string): JudgeCall =>
  slow(`transactions: ${name}`, (session) => session.list(query));

/** Returns the rows of a payment with all their values. */
const rowsOf = (name: string, label: string): JudgeCall =>
  slow(`transactions: rows of the ${name}`, async (session) => {
    const rows = await session.readHistory();
    const own = rows.filter((row) => session.isOwn(row, label));
    return own.map((row) => observeValue(row, { sent: session.sent }));
  });

/** Returns the address of the next page from the header or the body of a page. */
function findNext(
  url: URL,
  headers: Headers,
  body: unknown,
): { readonly by: string; readonly url: URL } | undefined {
  const header = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (header !== undefined) return { by: 'header', url: new URL(header, url) };
  const fields = new Map<string, unknown>();
  JSON.stringify(body, (name, value: unknown) => (fields.set(name, fields.get(name) ?? value), value));
  const link = fields.get('next') ?? fields.get('next_page_url');
  if (typeof link === 'string') return { by: 'link', url: new URL(link, url) };
  const cursor = fields.get('next_cursor') ?? fields.get('cursor');
  const next = new URL(url);
  if (typeof cursor === 'string') next.searchParams.set('cursor', cursor);
  else if (fields.get('has_more') !== true) return undefined;
  else next.searchParams.set('page', String(Number(next.searchParams.get('page') ?? 1) + 1));
  return { by: typeof cursor === 'string' ? 'cursor' : 'number', url: next };
}

const history: readonly JudgeCall[] = [
  rowsOf('completed payment', labels.full),
  rowsOf('failed payment', labels.failing),
  rowsOf('large payment', labels.large),
  list('first page', ''),
  list('two rows', '?per_page=2'),
  list('second page', '?per_page=2&page=2'),
  list('page past the end', '?per_page=20&page=999'),
  list('page 0', '?page=0'),
  list('0 rows', '?per_page=0'),
  list('101 rows', '?per_page=101'),
  list('a text as per_page', '?per_page=many'),
  list('status completed', '?per_page=5&status=completed'),
  list('an unknown status', '?status=no_such_status'),
  list('an unknown type', '?type=no_such_type'),
  slow('transactions: all pages', async (session) => {
    const all = await session.readHistory();
    let next: ReturnType<typeof findNext> = {
      by: 'none',
      url: new URL(`${session.target.baseUrl}/transactions?per_page=7`),
    };
    const ids: string[] = [];
    const by = new Set<string>();
    for (let page = 0; next && page < 30; page += 1) {
      by.add(next.by);
      const { text, headers } = await session.send('GET', next.url.href);
      ids.push(...findRows(parseJson(text)).map(({ id }) => String(id)));
      next = findNext(next.url, headers, parseJson(text));
    }
    return { by: [...by], isComplete: ids.length === all.length && new Set(ids).size === all.length };
  }),
];

const statuses = ['pending', 'processing', 'completed', 'failed'];

const eventsOf = (name: string, label: string): JudgeCall =>
  slow(`webhooks: events of the ${name}`, async ({ receiver, payments: ids }) => {
    const own = receiver.deliveries.filter(({ paymentId }) => paymentId === ids.get(label));
    // Their times can have whole seconds: the events of one second are in the order of the statuses.
    const rankOf = ({ event }: { readonly event: string }): number =>
      statuses.indexOf(event.slice('payment.'.length));
    const sorted = own.toSorted((a, b) => a.createdAt - b.createdAt || rankOf(a) - rankOf(b));
    return [...new Set(sorted.map(({ event }) => event))];
  });

const webhooks: readonly JudgeCall[] = [
  slow('webhooks: retry of a refused one', async (session) => ({
    gap_seconds: (await session.waitForRetry(labels.refused)) ?? null,
  })),
  slow('webhooks: copies and order', async (session) => {
    await session.waitForWebhooks();
    const { deliveries } = session.receiver;
    const refused = session.payments.get(labels.refused);
    const others = deliveries.filter(({ paymentId }) => paymentId !== refused);
    const seen = new Map<string, number>();
    const keys = others.map(({ paymentId, event }) => `${paymentId} ${event}`);
    const isLate = others.map(({ paymentId, createdAt }, index) => {
      const latest = seen.get(paymentId) ?? 0;
      seen.set(paymentId, Math.max(latest, createdAt));
      return createdAt < latest && keys.indexOf(keys[index]!) === index;
    });
    return {
      areSigned: deliveries.every(({ isSigned }) => isSigned),
      hasCopies: new Set(keys).size < keys.length,
      isReordered: isLate.includes(true),
    };
  }),
  eventsOf('completed payment', labels.full),
  eventsOf('failed payment', labels.failing),
  eventsOf('large payment', labels.large),
  slow('webhooks: body and headers', async ({ receiver, payments: ids, sent }) => {
    const found = receiver.deliveries.find(
      ({ event, paymentId }) => event === 'payment.completed' && paymentId === ids.get(labels.full),
    );
    if (!found) return 'none';
    const extra = [...found.headers].filter(([name]) => /^x-|^content-type$/.test(name));
    const names = extra.filter(([name]) => name !== 'x-service-signature');
    return {
      headers: observeHeaders(new Headers(names)),
      body: observeValue(JSON.parse(found.text), { sent }),
    };
  }),
];

/** Reads the rate with which the last call compares. */
export const readRate = async (session: Session): Promise<unknown> => {
  const { text } = await session.send('POST', '/quotes', { body: { ...order, beneficiary_name: undefined } });
  return (parseJson(text) as { data?: { rate?: unknown } } | undefined)?.data?.rate;
};
const BURST = 90;

const last: readonly JudgeCall[] = [
  slow('rate at the end of the run', async (session) => ({
    hasMoved: (await readRate(session)) !== session.firstRate,
  })),
  slow(`burst of ${BURST} requests`, async (session) => {
    const responses = await Promise.all(
      Array.from({ length: BURST }, () => session.sendOnce('GET', '/balance')),
    );
    const refused = responses.find(({ status }) => status !== 200);
    return {
      accepted: responses.filter(({ status }) => status === 200).length,
      refusal: refused ? session.observe(refused) : null,
    };
  }),
];

/** The calls of a comparison, in order. */
export const judgeCalls: readonly JudgeCall[] = [
  ...quotes,
  ...access,
  // A service can accept one of the rejections: its debit would count as one of another payment.
  ...payments,
  ...rejections,
  ...special,
  ...history,
  ...webhooks,
  ...last,
];
