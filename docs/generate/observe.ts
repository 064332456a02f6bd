// Observes the responses and webhooks of the sandbox with any profile. The reference states only differences seen here.
import type { Mock, Profile } from '@service/mock';
import { type Observation, readFacts } from './observation.ts';
import { observeWebhooks } from './observe-webhooks.ts';
import { type Call, openSandbox, operationIds, order, pay, sendCall, toCalls } from './sandbox-calls.ts';

/** A sandbox with one payment. */
interface ScenarioContext {
  readonly mock: Mock;
  readonly payment: string;
  /** Sends a request and keeps the facts of its response. */
  readonly observe: (operation: string, title: string, call: Call) => Promise<void>;
}

type Scenario = (context: ScenarioContext) => Promise<void>;

/** Bodies whose amounts some settings calculate differently. */
const amounts: readonly (readonly [title: string, change: object])[] = [
  ['an amount with half a cent of fee', { amount: 3 }],
  ['an amount with half a cent of fee, and an even cent before it', { amount: 1 }],
  ['a currency without minor units', { to_currency: 'JPY' }],
];

/** Bodies of both creates that some settings treat differently. */
const bodies: readonly (readonly [title: string, change: object | string])[] = [
  ...amounts,
  ['a currency to itself', { to_currency: 'USD' }],
  ['a currency in lower case', { from_currency: 'usd' }],
  ['an amount with three decimals', { amount: 1.006 }],
  ['an unknown field', { note: 'x' }],
  ['an invalid field', { amount: 0 }],
  ['several invalid fields', { amount: 0, to_currency: 'EURO' }],
  ['an amount as text', { amount: '1000.00' }],
  ['a body that is not JSON', '{'],
];

const valid: readonly Scenario[] = operationIds.map((id) => async ({ observe, payment }) => {
  await observe(id, 'a valid request', toCalls(payment)[id]);
});

const changedBodies: readonly Scenario[] = (['createQuote', 'createPayment'] as const).flatMap((id) =>
  bodies.map(([title, change]): Scenario => async ({ observe }) => {
    const call = toCalls('')[id];
    await observe(id, title, {
      ...call,
      body: typeof change === 'string' ? change : { ...call.body, ...change },
    });
  }),
);

const texts: readonly Scenario[] = [
  { title: 'an empty text', purpose: '' },
  { title: 'a text of 200 characters', purpose: 'x'.repeat(200) },
].map(({ title, purpose }) => async ({ observe }) => {
  const call = toCalls('').createPayment;
  await observe('createPayment', title, { ...call, body: { ...call.body, purpose } });
});

const mediaTypes: readonly Scenario[] = (['createQuote', 'createPayment'] as const).map(
  (id) =>
    async ({ observe }) => {
      await observe(id, 'a body of the type text/plain', {
        ...toCalls('')[id],
        headers: { 'content-type': 'text/plain' },
      });
    },
);

const paidAmounts: readonly Scenario[] = amounts.map(([title, change]) => async ({ observe, mock }) => {
  const { getPayment, listTransactions } = toCalls(await pay(mock, change));
  await observe('getPayment', `a payment with ${title}`, getPayment);
  await observe('listTransactions', `a payment with ${title}`, listTransactions);
});

const access: readonly Scenario[] = operationIds.map((id) => async ({ observe, payment, mock }) => {
  const call = toCalls(payment)[id];
  const unknownKey = { authorization: 'Bearer service_test_0000000000000000000000000000' };
  await observe(id, 'an unknown key', { ...call, headers: unknownKey });
  await observe(id, 'a body that is not JSON with an unknown key', {
    ...call,
    headers: unknownKey,
    ...(call.body !== undefined && { body: '{' }),
  });
  const otherKey = { 'x-api-key': mock.sandbox.accounts.create().testKey };
  await observe(id, 'two different keys', { ...call, headers: otherKey });
  await observe(id, 'a path with a final slash', { ...call, path: `${call.path}/` });
  await observe(id, 'an unknown path with an unknown key', {
    ...call,
    path: `/unknown${call.path}`,
    headers: unknownKey,
  });
  mock.sandbox.rateLimit.set({ requests: 1, window: '1h' });
  await observe(id, 'a request within the rate limit', call);
  await observe(id, 'a request over the rate limit', call);
});

const idempotency: Scenario = async ({ observe }) => {
  const call = { ...toCalls('').createPayment, headers: { 'idempotency-key': 'order-1' } };
  await observe('createPayment', 'a first create with a key', call);
  await observe('createPayment', 'the same create with the same key', call);
  const other = { ...call, body: { ...call.body, amount: 7 } };
  await observe('createPayment', 'another create with the same key', other);
};

const manyRequests: readonly Scenario[] = operationIds.map((id) => async ({ observe, payment, mock }) => {
  for (let sent = 0; sent < 20; sent += 1) await sendCall(mock, toCalls('').createQuote);
  await observe(id, 'a request after 20 quotes in a second', toCalls(payment)[id]);
});

/** Two payments of 60 000 from a balance of 100 000. */
const insufficientFunds: Scenario = async ({ observe, mock }) => {
  const large = { amount: 60_000 };
  await pay(mock, large);
  const call = toCalls('').createPayment;
  await observe('createPayment', 'a second payment of more than half of the balance', {
    ...call,
    body: { ...call.body, ...large },
  });
};

const foreignPayment: Scenario = async ({ observe, mock }) => {
  const account = mock.sandbox.accounts.create({ balances: { USD: '5000.00' } });
  const input = {
    from_currency: 'USD',
    to_currency: 'EUR',
    amount: '10.00',
    beneficiary_name: 'Acme',
  } as const;
  const { id } = mock.sandbox.payments.create({ ...input, account });
  await observe('getPayment', 'a payment of another account', toCalls(id).getPayment);
};

const lists: readonly Scenario[] = [
  ['the first page', 'per_page=1'],
  ['a page size of 0', 'per_page=0'],
  ['an unknown status', 'status=no_such_status'],
  ['a page after the last one', 'page=99'],
].map(([title = '', query]) => async ({ observe }) => {
  await observe('listTransactions', title, { method: 'GET', path: `/transactions?${query}` });
});

/** Payments until their final status. */
const lives: readonly Scenario[] = [
  ['completed', 'SIM-OK'],
  ['failed', 'SIM-FAIL'],
  ['failed after it was completed', 'SIM-RETURN'],
].map(([end, account]) => async ({ observe, mock }) => {
  const id = await pay(mock, { beneficiary_account: account });
  for (const title of ['pending', 'after 1 s', 'after 4 s', 'after 7 s', 'after 10 s']) {
    for (const operation of ['getPayment', 'getBalance', 'listTransactions'] as const)
      await observe(operation, `a payment that becomes ${end}: ${title}`, toCalls(id)[operation]);
    await mock.sandbox.clock.advance(title === 'pending' ? '1s' : '3s');
  }
});

const scenarios = [
  ...valid,
  ...changedBodies,
  ...texts,
  ...mediaTypes,
  ...paidAmounts,
  ...access,
  idempotency,
  ...manyRequests,
  insufficientFunds,
  foreignPayment,
  ...lists,
  ...lives,
];

/** Observes all scenarios with a profile, each with a new sandbox, so that none has the effects of another. */
export async function observeProfile({ latency = 0, ...profile }: Partial<Profile>): Promise<Observation[]> {
  // Latency is real time: only the observation of the latency has it.
  const found = [await observeLatency(latency)];
  for (const run of scenarios) {
    const mock = openSandbox(profile);
    await run({
      mock,
      payment: await pay(mock, order),
      observe: async (operation, title, call) => {
        found.push({ operation, title, facts: await readFacts(await sendCall(mock, call)) });
      },
    });
  }
  return [...found, ...(await observeWebhooks(profile))];
}

/** Observes whether the fastest of some responses takes noticeable real time. */
async function observeLatency(latency: Profile['latency']): Promise<Observation> {
  const mock = openSandbox({ latency });
  const durations: number[] = [];
  for (let sent = 0; sent < 5; sent += 1) {
    const start = performance.now();
    await sendCall(mock, toCalls('').getBalance);
    durations.push(performance.now() - start);
  }
  const latencyText = Math.min(...durations) < 100 ? 'less than 100 ms' : 'at least 100 ms';
  return { operation: 'getBalance', title: 'a valid request', facts: new Map([['latency', latencyText]]) };
}
