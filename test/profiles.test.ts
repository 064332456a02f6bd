// All operations of the client with every profile setting (docs/contract.md#profile-settings). The results are compared with
// a second sandbox of the same seed, which has the same ledger rules and the default representations.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMock, type Mock, type MockOptions } from '@service/mock';
import { createClient, rawAmount, type Payment, type Transaction, type Warning } from '@service/sdk';
import { profileSettings } from '../packages/mock/src/domain/profile.ts';
import { runs } from './support/runs.ts';

type Profile = NonNullable<MockOptions['profile']>;
type Raw = Record<string, unknown>;

/** The default representations, which the second sandbox has. */
const defaultRepresentations = {
  absent: 'null',
  numbers: 'number',
  timestamps: 'offset',
  pagination: 'page',
  errorShape: 'envelope',
} as const satisfies Profile;

const exchange = { from_currency: 'USD', to_currency: 'EUR', amount: '1000.00' };
const order = { ...exchange, beneficiary_name: 'Acme Supplies Ltd' };
const start = '2026-01-31T12:00:00Z';

/** Sends a request to a sandbox without the client. */
async function sendRaw(mock: Mock, path: string, body?: object): Promise<Raw> {
  const response = await mock.fetch(`${mock.baseUrl}${path}`, {
    headers: { authorization: `Bearer ${mock.account.testKey}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify({ ...body, amount: 1000 }) }),
  });
  return ((await response.json()) as { data: Raw }).data;
}

const withParsedTime = ({ created_at, ...rest }: Raw | Payment | Transaction): Raw => ({
  ...rest,
  created_at: Date.parse(String(created_at)),
});

/** Runs a quote, a payment, lists and errors with a profile, and returns the warnings of the client. */
async function runAll(profile: Profile): Promise<string[]> {
  const mock = createMock({ seed: 7, clock: 'manual', start, profile });
  const reference = createMock({
    seed: 7,
    clock: 'manual',
    start,
    profile: { ...profile, ...defaultRepresentations },
  });
  const warnings: Warning[] = [];
  let isWaiting = false;
  const client = createClient({
    apiKey: mock.account.testKey,
    baseUrl: mock.baseUrl,
    fetch: async (url, init) => {
      const response = await mock.fetch(url, init);
      // The clock advances with each poll of waitFor.
      if (isWaiting) await mock.sandbox.clock.advance('1s');
      return response;
    },
    onWarning: (warning) => warnings.push(warning),
  });

  const quote = await client.quotes.create(exchange).withResponse();
  expect(quote.response.status).toBe(profile.quoteStatus ?? 200);
  expect(quote.data).toEqual(await sendRaw(reference, '/quotes', exchange));

  const created = await client.payments.create(order).withResponse();
  expect(created.response.status).toBe(profile.createStatus ?? 201);
  expect(created).toMatchObject({
    mode: 'test',
    attempts: 1,
    data: { status: 'pending', send_amount: 1000 },
  });
  const { id } = created.data;
  expect(withParsedTime(created.data)).toEqual(withParsedTime(await sendRaw(reference, '/payments', order)));
  expect(Number(rawAmount(created.data, 'send_amount'))).toBeCloseTo(1000, 9);
  expect(await client.payments.retrieve(id)).toEqual(created.data);

  await reference.sandbox.clock.advance('10s');
  const statuses: string[] = [];
  isWaiting = true;
  const final = await client.payments.waitFor(id, {
    pollInterval: 1,
    onStatus: ({ status }) => void statuses.push(status),
  });
  isWaiting = false;
  expect(statuses).toEqual(statusesOf(profile));
  expect(withParsedTime(final)).toEqual(withParsedTime(await sendRaw(reference, `/payments/${id}`)));

  expect(await client.balance.retrieve()).toEqual(await sendRaw(reference, '/balance'));
  await checkHistory(client, reference, profile);
  await checkErrors(mock, profile);
  return warnings.map(({ code }) => code);
}

/** Returns the statuses of a payment that is polled every second. */
function statusesOf({ transitions, unknownStatus }: Profile): string[] {
  if (transitions === 'skip') return ['pending', 'completed'];
  const between = unknownStatus === 'invented' ? ['under_review'] : [];
  return ['pending', 'processing', ...between, 'completed'];
}

/** Matches a row without its null fields: without any payment id on the page, the client cannot add them. */
const withoutNulls = (row: Raw): Raw =>
  expect.objectContaining(
    Object.fromEntries(Object.entries(withParsedTime(row)).filter(([, value]) => value !== null)),
  );

async function checkHistory(
  client: ReturnType<typeof createClient>,
  reference: Mock,
  profile: Profile,
): Promise<void> {
  const { transactions } = (await sendRaw(reference, '/transactions?per_page=100')) as {
    transactions: Raw[];
  };
  const rows: Transaction[] = [];
  for await (const row of client.transactions.list({ per_page: 2 })) rows.push(row);
  expect(rows.map(withParsedTime)).toEqual(
    transactions.map(profile.absent === 'omit' ? withoutNulls : withParsedTime),
  );
  const pages: number[] = [];
  for await (const page of client.transactions.list({ per_page: 2 }).pages())
    pages.push(page.transactions.length);
  expect(pages).toEqual([2, 2]);
  const first = await client.transactions.list({ per_page: 2 });
  expect(first.pagination).toMatchObject({ current_page: 1, has_more: true });
}

async function checkErrors(mock: Mock, { errorShape = 'envelope' }: Profile): Promise<void> {
  const options = { baseUrl: mock.baseUrl, fetch: mock.fetch, onWarning: () => {} };
  const client = createClient({ apiKey: mock.account.testKey, ...options });
  const isHtml = errorShape === 'html';
  const outcome = isHtml ? 'unknown' : 'rejected';
  const failure = { outcome, status: 422, attempts: 1 };
  const isTyped = errorShape === 'envelope' || errorShape === 'extra';
  await expect(client.payments.create({ ...order, amount: '999999999.00' })).rejects.toMatchObject(
    isHtml
      ? { ...failure, name: 'PaymentOutcomeUnknownError', cause: { name: 'ValidationError' } }
      : { ...failure, name: isTyped ? 'InsufficientFundsError' : 'ValidationError' },
  );
  const unknownId = `pay_test_${'0'.repeat(24)}`;
  await expect(client.payments.retrieve(unknownId)).rejects.toMatchObject({
    name: 'NotFoundError',
    status: 404,
    outcome,
  });
  const unauthenticated = createClient({ apiKey: 'service_test_unknownkey0001', ...options });
  await expect(unauthenticated.balance.retrieve()).rejects.toMatchObject({
    name: 'AuthenticationError',
    status: 401,
    outcome,
  });
}

const settings = Object.entries(profileSettings).flatMap(([name, values]) =>
  values.map((value): [string, Profile] => [`${name}: ${value}`, { [name]: value }]),
);
const deprecation = { deprecated: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' };

describe('the client', () => {
  it.each(settings)('supports the profile setting %s', async (_, profile) => {
    expect(await runAll(profile)).toEqual([]);
  });

  it('supports a deprecated service without events', async () => {
    expect(await runAll({ deprecation, events: [] })).toEqual(['deprecated']);
  });

  it('supports random combinations of all settings', async () => {
    const profiles = fc.record(
      Object.fromEntries(
        Object.entries(profileSettings).map(([name, values]) => [
          name,
          fc.constantFrom<string | number>(...values),
        ]),
      ),
    ) as fc.Arbitrary<unknown> as fc.Arbitrary<Profile>;
    await fc.assert(
      fc.asyncProperty(profiles, async (profile) => {
        expect(await runAll(profile)).toEqual([]);
      }),
      { numRuns: runs(40), seed: 20_260_131 },
    );
  });
});
